Network n { Layer a { Type: GEMM Dimensions { M: 8, N: 4, K: 6, Y': 4 } Dataflow { SpatialMap(1,1) M; } } }
