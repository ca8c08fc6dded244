Network N {
	Layer bert_base_qk_s128_head {
		Type: GEMM
		Dimensions { M: 128, N: 128, K: 64 }
		Dataflow {
			SpatialMap(1,1) N;
			TemporalMap(32,32) K;
			TemporalMap(1,1) M;
			Cluster(32, P);
			SpatialMap(1,1) K;
			TemporalMap(1,1) M;
			TemporalMap(1,1) N;
		}
	}
}
