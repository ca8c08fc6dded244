Network N {
	Layer bert_base_qk_s128_head {
		Type: GEMM
		Dimensions { M: 128, N: 128, K: 64 }
		Dataflow {
			TemporalMap(1,1) N;
			SpatialMap(1,1) M;
			TemporalMap(64,64) K;
			Cluster(64, P);
			TemporalMap(1,1) N;
			TemporalMap(1,1) M;
			SpatialMap(1,1) K;
		}
	}
}
