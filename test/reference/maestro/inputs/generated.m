// Random layers, whose figures in generated.csv come from a second implementation of the tool's model.
Network N {
	Layer gen1 {
		Type: CONV
		Stride { X: 1, Y: 1 }
		Dimensions { K: 4, C: 1, R: 2, S: 2, Y: 6, X: 9 }
		Dataflow { SpatialMap(1,1) R; SpatialMap(4,3) Y; TemporalMap(1,1) K; TemporalMap(1,1) C; Cluster(3, P); TemporalMap(2,2) S; SpatialMap(1,1) C; TemporalMap(2,1) X; TemporalMap(4,3) Y; TemporalMap(1,1) K; TemporalMap(2,2) R; }
	}
	Layer gen2 {
		Type: GEMM
		Dimensions { M: 4, N: 4, K: 50 }
		Dataflow { SpatialMap(1,1) M; TemporalMap(25,25) K; TemporalMap(2,2) N; }
	}
	Layer gen4 {
		Type: CONV
		Stride { X: 3, Y: 3 }
		Dimensions { K: 6, C: 1, R: 1, S: 1, Y: 31, X: 34 }
		Dataflow { TemporalMap(1,3) X; TemporalMap(1,1) C; TemporalMap(1,1) S; SpatialMap(1,1) K; TemporalMap(1,3) Y; Cluster(2, P); TemporalMap(1,3) Y; TemporalMap(1,1) K; TemporalMap(1,3) X; TemporalMap(1,1) C; SpatialMap(1,1) S; }
	}
	Layer gen5 {
		Type: CONV
		Stride { X: 2, Y: 2 }
		Dimensions { K: 6, C: 8, R: 1, S: 1, Y: 21, X: 21 }
		Dataflow { TemporalMap(1,2) X; TemporalMap(1,1) K; TemporalMap(1,1) S; TemporalMap(3,4) Y; SpatialMap(5,5) C; TemporalMap(1,1) R; Cluster(3, P); TemporalMap(1,1) K; TemporalMap(1,2) X; TemporalMap(4,4) C; TemporalMap(1,1) R; SpatialMap(3,4) Y; TemporalMap(1,1) S; }
	}
	Layer gen6 {
		Type: CONV
		Stride { X: 1, Y: 1 }
		Dimensions { K: 8, C: 3, R: 1, S: 1, Y: 2, X: 8 }
		Dataflow { SpatialMap(2,2) Y; TemporalMap(1,1) S; TemporalMap(8,8) K; TemporalMap(3,3) C; TemporalMap(1,1) R; Cluster(2, P); SpatialMap(2,2) X; TemporalMap(2,2) K; TemporalMap(1,1) S; TemporalMap(1,1) R; TemporalMap(2,2) Y'; TemporalMap(1,1) C; }
	}
	Layer gen7 {
		Type: CONV
		Stride { X: 1, Y: 1 }
		Dimensions { K: 16, C: 16, R: 5, S: 3, Y: 14, X: 10 }
		Dataflow { TemporalMap(8,8) K; TemporalMap(3,3) S; TemporalMap(1,1) C; SpatialMap(5,4) Y; SpatialMap(1,1) R; }
	}
	Layer gen8 {
		Type: GEMM
		Dimensions { M: 7, N: 50, K: 50 }
		Dataflow { SpatialMap(1,1) K; TemporalMap(32,32) N; Cluster(8, P); TemporalMap(1,1) K; TemporalMap(4,4) M; SpatialMap(12,12) N; }
	}
	Layer gen10 {
		Type: GEMM
		Dimensions { M: 16, N: 16, K: 4 }
		Dataflow { TemporalMap(4,4) K; TemporalMap(6,6) N; SpatialMap(15,15) M; Cluster(4, P); TemporalMap(2,2) N; SpatialMap(4,4) K; }
	}
	Layer gen11 {
		Type: CONV
		Stride { X: 1, Y: 1 }
		Dimensions { K: 4, C: 8, R: 1, S: 1, Y: 1, X: 9 }
		Dataflow { SpatialMap(1,1) Y; TemporalMap(1,1) S; SpatialMap(1,1) R; TemporalMap(1,1) X; TemporalMap(4,4) C; }
	}
	Layer gen13 {
		Type: CONV
		Stride { X: 1, Y: 1 }
		Dimensions { K: 1, C: 16, R: 5, S: 5, Y: 18, X: 12 }
		Dataflow { TemporalMap(5,5) R; TemporalMap(6,2) X; TemporalMap(1,1) K; TemporalMap(5,5) S; SpatialMap(4,4) C; TemporalMap(2,2) Y'; Cluster(8, P); TemporalMap(2,2) C; TemporalMap(5,5) R; SpatialMap(1,1) K; Cluster(4, P); TemporalMap(5,5) S; TemporalMap(5,5) R; TemporalMap(6,2) X; SpatialMap(2,2) C; TemporalMap(1,1) Y'; TemporalMap(1,1) K; }
	}
	Layer gen14 {
		Type: GEMM
		Dimensions { M: 7, N: 32, K: 16 }
		Dataflow { SpatialMap(3,3) N; TemporalMap(8,8) K; TemporalMap(7,7) M; Cluster(8, P); SpatialMap(7,7) M; }
	}
	Layer gen15 {
		Type: CONV
		Stride { X: 2, Y: 2 }
		Dimensions { K: 4, C: 16, R: 1, S: 3, Y: 29, X: 13 }
		Dataflow { TemporalMap(2,2) K; TemporalMap(1,1) R; SpatialMap(3,4) Y; TemporalMap(16,16) C; TemporalMap(3,2) X; Cluster(2, P); TemporalMap(1,1) R; TemporalMap(3,3) S; SpatialMap(11,11) C; TemporalMap(2,2) K; TemporalMap(3,2) X; }
	}
	Layer gen17 {
		Type: CONV
		Stride { X: 3, Y: 3 }
		Dimensions { K: 1, C: 3, R: 1, S: 1, Y: 1, X: 25 }
		Dataflow { TemporalMap(1,1) K; TemporalMap(1,3) X; SpatialMap(3,3) C; TemporalMap(1,1) S; TemporalMap(1,1) R; TemporalMap(1,3) Y; }
	}
	Layer gen18 {
		Type: CONV
		Stride { X: 3, Y: 3 }
		Dimensions { K: 6, C: 8, R: 3, S: 3, Y: 30, X: 3 }
		Dataflow { TemporalMap(3,3) S; TemporalMap(3,3) X; TemporalMap(3,3) R; TemporalMap(3,3) Y; SpatialMap(2,2) K; TemporalMap(8,8) C; Cluster(4, P); SpatialMap(3,3) X; TemporalMap(1,1) K; TemporalMap(3,3) Y; TemporalMap(3,3) R; TemporalMap(4,4) C; TemporalMap(3,3) S; }
	}
	Layer gen19 {
		Type: GEMM
		Dimensions { M: 50, N: 4, K: 50 }
		Dataflow { SpatialMap(1,1) N; TemporalMap(2,2) M; TemporalMap(10,10) K; }
	}
	Layer gen20 {
		Type: GEMM
		Dimensions { M: 12, N: 8, K: 7 }
		Dataflow { SpatialMap(7,7) K; TemporalMap(6,6) M; Cluster(8, P); SpatialMap(1,1) N; TemporalMap(5,5) M; TemporalMap(6,6) K; }
	}
	Layer gen21 {
		Type: DSCONV
		Stride { X: 2, Y: 2 }
		Dimensions { K: 1, C: 8, R: 3, S: 3, Y: 17, X: 31 }
		Dataflow { TemporalMap(8,8) C; TemporalMap(3,3) R; SpatialMap(7,6) Y; TemporalMap(3,3) S; }
	}
	Layer gen22 {
		Type: CONV
		Stride { X: 3, Y: 3 }
		Dimensions { K: 6, C: 8, R: 1, S: 3, Y: 1, X: 3 }
		Dataflow { SpatialMap(1,1) C; TemporalMap(3,3) S; TemporalMap(3,3) K; TemporalMap(1,3) Y; TemporalMap(3,3) X; TemporalMap(1,1) R; Cluster(8, P); TemporalMap(1,1) C; TemporalMap(1,1) R; TemporalMap(3,3) K; SpatialMap(3,3) X; Cluster(2, P); TemporalMap(3,3) K; TemporalMap(3,3) X; TemporalMap(1,1) R; TemporalMap(1,3) Y; SpatialMap(1,1) C; }
	}
	Layer gen25 {
		Type: DSCONV
		Stride { X: 2, Y: 2 }
		Dimensions { K: 1, C: 1, R: 3, S: 3, Y: 3, X: 5 }
		Dataflow { TemporalMap(3,3) R; TemporalMap(1,1) C; SpatialMap(5,4) X; }
	}
	Layer gen26 {
		Type: GEMM
		Dimensions { M: 8, N: 8, K: 16 }
		Dataflow { TemporalMap(6,6) M; TemporalMap(4,4) K; SpatialMap(2,2) N; Cluster(2, P); TemporalMap(2,2) N; TemporalMap(2,2) M; SpatialMap(4,4) K; }
	}
	Layer gen27 {
		Type: DSCONV
		Stride { X: 1, Y: 1 }
		Dimensions { K: 1, C: 16, R: 3, S: 1, Y: 17, X: 14 }
		Dataflow { SpatialMap(6,4) Y; TemporalMap(3,3) X; TemporalMap(1,1) S; TemporalMap(3,3) R; Cluster(2, P); SpatialMap(1,1) Y'; TemporalMap(1,1) S; TemporalMap(3,3) R; TemporalMap(3,3) X; TemporalMap(2,2) C; Cluster(8, P); TemporalMap(1,1) S; TemporalMap(2,2) C; SpatialMap(3,1) Y; TemporalMap(3,3) R; }
	}
	Layer gen28 {
		Type: CONV
		Stride { X: 1, Y: 1 }
		Dimensions { K: 8, C: 1, R: 1, S: 1, Y: 9, X: 1 }
		Dataflow { TemporalMap(1,1) Y; TemporalMap(5,5) K; TemporalMap(1,1) C; TemporalMap(1,1) X; TemporalMap(1,1) R; SpatialMap(1,1) S; Cluster(8, P); TemporalMap(5,5) K; SpatialMap(1,1) C; TemporalMap(1,1) R; TemporalMap(1,1) X; TemporalMap(1,1) S; TemporalMap(2,2) Y'; }
	}
	Layer gen30 {
		Type: CONV
		Stride { X: 2, Y: 2 }
		Dimensions { K: 4, C: 3, R: 2, S: 1, Y: 6, X: 23 }
		Dataflow { TemporalMap(5,6) X; SpatialMap(4,4) K; TemporalMap(3,3) C; TemporalMap(2,2) R; TemporalMap(6,6) Y; TemporalMap(1,1) S; }
	}
	Layer gen32 {
		Type: CONV
		Stride { X: 2, Y: 2 }
		Dimensions { K: 16, C: 3, R: 5, S: 5, Y: 27, X: 13 }
		Dataflow { TemporalMap(7,4) Y; TemporalMap(5,5) S; TemporalMap(3,3) C; TemporalMap(5,5) R; TemporalMap(7,4) X; SpatialMap(10,10) K; Cluster(4, P); SpatialMap(8,8) K; TemporalMap(5,5) S; TemporalMap(3,3) C; TemporalMap(7,4) X; TemporalMap(7,4) Y; }
	}
}
