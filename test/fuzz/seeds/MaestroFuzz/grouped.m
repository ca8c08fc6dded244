Network n {
  Layer g {
    Type: NGCONV Stride { X: 2, Y: 2 }
    Dimensions { N: 2, G: 3, K: 4, C: 5, R: 3, S: 3, Y: 9, X: 9 }
    Dataflow { TemporalMap(1,1) N; SpatialMap(1,1) G; TemporalMap(2,2) C; TemporalMap(2,2) K; TemporalMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X; }
  }
  Layer t {
    Type: TRCONV Dimensions { K: 4, C: 8, R: 2, S: 2, Y: 6, X: 6 }
    Dataflow { SpatialMap(1,1) K; TemporalMap(4,4) C; }
  }
}
