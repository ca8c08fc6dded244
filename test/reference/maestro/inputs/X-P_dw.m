Network N {
	Layer mobilenetv2_dw112s2 {
		Type: DSCONV
		Stride { X: 2, Y: 2 }
		Dimensions { K: 1, C: 96, R: 3, S: 3, Y: 113, X: 113 }
		Dataflow {
			TemporalMap(1,1) C;
			TemporalMap(Sz(R),2) Y;
			SpatialMap(Sz(S),2) X;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
		}
	}
}
