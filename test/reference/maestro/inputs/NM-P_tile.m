Network N {
	Layer bert_base_qkv_s128 {
		Type: GEMM
		Dimensions { M: 128, N: 768, K: 768 }
		Dataflow {
			TemporalMap(32,32) K;
			SpatialMap(4,4) N;
			TemporalMap(16,16) M;
			Cluster(16, P);
			SpatialMap(1,1) M;
			TemporalMap(1,1) N;
			TemporalMap(1,1) K;
		}
	}
}
