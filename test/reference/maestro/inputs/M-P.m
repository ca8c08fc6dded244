Network N {
	Layer bert_base_av_s128_head {
		Type: GEMM
		Dimensions { M: 128, N: 64, K: 128 }
		Dataflow {
			TemporalMap(8,8) N;
			TemporalMap(8,8) K;
			SpatialMap(1,1) M;
		}
	}
}
