num_pes: 128
l1_size_cstr: 100
noc_bw_cstr: 32
noc_hop_latency: 0
