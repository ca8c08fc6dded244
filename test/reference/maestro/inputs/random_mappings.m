Network N {
	Layer rnd4 {
		Type: GEMM
		Dimensions { M: 30, N: 192, K: 100 }
		Dataflow {
			SpatialMap(1,1) N;
			TemporalMap(7,7) M;
			TemporalMap(76,76) K;
		}
	}
	Layer rnd53 {
		Type: CONV
		Stride { X: 2, Y: 2 }
		Dimensions { K: 8, C: 4, R: 1, S: 1, Y: 31, X: 19 }
		Dataflow {
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
			TemporalMap(1,2) X;
			SpatialMap(2,2) C;
			TemporalMap(1,2) Y;
			TemporalMap(1,1) K;
			Cluster(8, P);
			SpatialMap(1,1) K;
			TemporalMap(1,2) X;
			TemporalMap(1,2) Y;
			TemporalMap(2,2) C;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
		}
	}
	Layer rnd63 {
		Type: CONV
		Stride { X: 1, Y: 1 }
		Dimensions { K: 32, C: 3, R: 3, S: 3, Y: 9, X: 12 }
		Dataflow {
			SpatialMap(3,1) Y;
			TemporalMap(3,1) X;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
			TemporalMap(3,3) C;
			TemporalMap(16,16) K;
			Cluster(16, P);
			TemporalMap(3,1) Y;
			SpatialMap(1,1) C;
			TemporalMap(3,1) X;
			TemporalMap(4,4) K;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
		}
	}
	Layer rnd78 {
		Type: GEMM
		Dimensions { M: 197, N: 256, K: 50 }
		Dataflow {
			TemporalMap(203,203) N;
			TemporalMap(2,2) K;
			SpatialMap(2,2) M;
			Cluster(32, P);
			TemporalMap(2,2) M;
			TemporalMap(203,203) N;
			SpatialMap(1,1) K;
		}
	}
	Layer rnd118 {
		Type: GEMM
		Dimensions { M: 24, N: 128, K: 192 }
		Dataflow {
			TemporalMap(2,2) K;
			TemporalMap(4,4) M;
			SpatialMap(2,2) N;
			Cluster(16, P);
			TemporalMap(1,1) N;
			SpatialMap(1,1) K;
			TemporalMap(1,1) M;
		}
	}
	Layer rnd180 {
		Type: GEMM
		Dimensions { M: 100, N: 128, K: 256 }
		Dataflow {
			TemporalMap(25,25) M;
			SpatialMap(1,1) K;
			TemporalMap(16,16) N;
			Cluster(16, P);
			TemporalMap(25,25) M;
			TemporalMap(1,1) K;
			SpatialMap(1,1) N;
		}
	}
	Layer rnd258 {
		Type: GEMM
		Dimensions { M: 48, N: 32, K: 128 }
		Dataflow {
			TemporalMap(64,64) K;
			TemporalMap(24,24) M;
			SpatialMap(2,2) N;
		}
	}
	Layer rnd324 {
		Type: GEMM
		Dimensions { M: 197, N: 197, K: 24 }
		Dataflow {
			SpatialMap(4,4) K;
			TemporalMap(1,1) M;
			TemporalMap(1,1) N;
			Cluster(4, P);
			SpatialMap(1,1) M;
			TemporalMap(4,4) K;
			TemporalMap(1,1) N;
		}
	}
	Layer rnd382 {
		Type: GEMM
		Dimensions { M: 24, N: 32, K: 48 }
		Dataflow {
			SpatialMap(2,2) N;
			TemporalMap(24,24) M;
			TemporalMap(12,12) K;
			Cluster(4, P);
			SpatialMap(1,1) K;
			TemporalMap(2,2) M;
			TemporalMap(2,2) N;
		}
	}
	Layer rnd453 {
		Type: CONV
		Stride { X: 1, Y: 1 }
		Dimensions { K: 16, C: 3, R: 1, S: 1, Y: 12, X: 12 }
		Dataflow {
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
			TemporalMap(3,3) X;
			SpatialMap(1,1) K;
			TemporalMap(1,1) C;
			TemporalMap(1,1) Y;
			Cluster(4, P);
			SpatialMap(1,1) C;
			TemporalMap(1,1) Y;
			TemporalMap(1,1) K;
			TemporalMap(1,1) X;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
		}
	}
	Layer rnd500 {
		Type: GEMM
		Dimensions { M: 100, N: 16, K: 24 }
		Dataflow {
			TemporalMap(4,4) K;
			SpatialMap(2,2) N;
			TemporalMap(90,90) M;
			Cluster(32, P);
			TemporalMap(1,1) N;
			SpatialMap(1,1) K;
			TemporalMap(11,11) M;
		}
	}
	Layer rnd570 {
		Type: GEMM
		Dimensions { M: 48, N: 64, K: 197 }
		Dataflow {
			SpatialMap(1,1) K;
			TemporalMap(2,2) N;
			TemporalMap(12,12) M;
			Cluster(32, P);
			TemporalMap(2,2) M;
			SpatialMap(1,1) N;
			TemporalMap(1,1) K;
		}
	}
	Layer rnd626 {
		Type: GEMM
		Dimensions { M: 197, N: 256, K: 32 }
		Dataflow {
			TemporalMap(212,212) N;
			TemporalMap(197,197) M;
			SpatialMap(2,2) K;
		}
	}
	Layer rnd698 {
		Type: GEMM
		Dimensions { M: 16, N: 192, K: 197 }
		Dataflow {
			TemporalMap(1,1) M;
			TemporalMap(171,171) K;
			SpatialMap(4,4) N;
		}
	}
	Layer rnd705 {
		Type: CONV
		Stride { X: 1, Y: 1 }
		Dimensions { K: 4, C: 12, R: 5, S: 5, Y: 10, X: 12 }
		Dataflow {
			SpatialMap(1,1) X';
			TemporalMap(1,1) Y';
			TemporalMap(6,6) C;
			TemporalMap(2,2) K;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
			Cluster(5, P);
			SpatialMap(1,1) Y;
			SpatialMap(1,1) R;
			TemporalMap(Sz(S),Sz(S)) S;
		}
	}
	Layer rnd709 {
		Type: CONV
		Stride { X: 1, Y: 1 }
		Dimensions { K: 8, C: 8, R: 3, S: 3, Y: 6, X: 10 }
		Dataflow {
			SpatialMap(1,1) K;
			TemporalMap(1,1) X';
			TemporalMap(1,1) Y';
			TemporalMap(8,8) C;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
			Cluster(3, P);
			SpatialMap(1,1) Y;
			SpatialMap(1,1) R;
			Cluster(3, P);
			SpatialMap(1,1) X;
			SpatialMap(1,1) S;
		}
	}
	Layer rnd766 {
		Type: GEMM
		Dimensions { M: 48, N: 32, K: 64 }
		Dataflow {
			TemporalMap(8,8) M;
			TemporalMap(27,27) N;
			SpatialMap(1,1) K;
			Cluster(8, P);
			SpatialMap(4,4) M;
			TemporalMap(1,1) K;
			TemporalMap(9,9) N;
			Cluster(8, P);
			TemporalMap(1,1) M;
			TemporalMap(1,1) K;
			SpatialMap(1,1) N;
		}
	}
	Layer rnd775 {
		Type: CONV
		Stride { X: 1, Y: 1 }
		Dimensions { K: 16, C: 8, R: 3, S: 3, Y: 8, X: 8 }
		Dataflow {
			TemporalMap(4,4) K;
			TemporalMap(4,4) C;
			SpatialMap(1,1) Y';
			TemporalMap(1,1) X';
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
			Cluster(3, P);
			SpatialMap(1,1) Y;
			SpatialMap(1,1) R;
			Cluster(3, P);
			SpatialMap(1,1) X;
			SpatialMap(1,1) S;
		}
	}
	Layer rnd826 {
		Type: GEMM
		Dimensions { M: 128, N: 24, K: 24 }
		Dataflow {
			TemporalMap(1,1) M;
			SpatialMap(4,4) N;
			TemporalMap(2,2) K;
			Cluster(4, P);
			TemporalMap(2,2) K;
			SpatialMap(1,1) M;
			TemporalMap(2,2) N;
			Cluster(2, P);
			TemporalMap(1,1) M;
			TemporalMap(1,1) N;
			SpatialMap(1,1) K;
		}
	}
	Layer rnd884 {
		Type: GEMM
		Dimensions { M: 24, N: 64, K: 50 }
		Dataflow {
			SpatialMap(4,4) N;
			TemporalMap(9,9) M;
			TemporalMap(2,2) K;
			Cluster(4, P);
			TemporalMap(2,2) N;
			SpatialMap(1,1) M;
			TemporalMap(1,1) K;
			Cluster(2, P);
			SpatialMap(1,1) K;
			TemporalMap(1,1) M;
			TemporalMap(1,1) N;
		}
	}
	Layer rnd940 {
		Type: GEMM
		Dimensions { M: 24, N: 50, K: 48 }
		Dataflow {
			TemporalMap(8,8) K;
			TemporalMap(14,14) M;
			SpatialMap(2,2) N;
			Cluster(4, P);
			TemporalMap(1,1) K;
			SpatialMap(1,1) M;
			TemporalMap(1,1) N;
			Cluster(2, P);
			SpatialMap(1,1) K;
			TemporalMap(1,1) N;
			TemporalMap(1,1) M;
		}
	}
}
