Constant tile 2; // two rows
Network n {
  Layer a { Type: CONV Stride { X: 2, Y: 2 } Dimensions { K: 4, C: 3, R: 3, S: 5, Y: 9, X: 11 }
    Dataflow { TemporalMap(tile,tile) K; SpatialMap(1,1) Y'; Cluster(Sz(R), P); SpatialMap(1,1) Y; SpatialMap(1,1) R; } }
  Layer b { Type: DSCONV Dimensions { K: 1, C: 8, R: 3, S: 3, Y': 4, X' -> 4 } Dataflow { SpatialMap(1,1) C; } }
  Layer c { Type: GEMM Dimensions { M: 8, N: 4, K: 6 } Dataflow { SpatialMap(3,3) M; Cluster(4); SpatialMap(1,1) K; } }
}
