Network N {
	Layer bert_base_qkv_s128 {
		Type: GEMM
		Dimensions { M: 128, N: 768, K: 768 }
		Dataflow {
			TemporalMap(1,1) M;
			TemporalMap(16,16) K;
			SpatialMap(1,1) N;
		}
	}
}
