Network N {
	Layer mobilenetv2_dw112 {
		Type: DSCONV
		Stride { X: 1, Y: 1 }
		Dimensions { K: 1, C: 32, R: 3, S: 3, Y: 114, X: 114 }
		Dataflow {
			TemporalMap(1,1) C;
			SpatialMap(Sz(R),1) Y;
			TemporalMap(10,8) X;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
			Cluster(8, P);
			SpatialMap(Sz(S),1) X;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
		}
	}
	Layer mobilenetv2_dw112s2 {
		Type: DSCONV
		Stride { X: 2, Y: 2 }
		Dimensions { K: 1, C: 96, R: 3, S: 3, Y: 113, X: 113 }
		Dataflow {
			TemporalMap(1,1) C;
			SpatialMap(Sz(R),2) Y;
			TemporalMap(17,16) X;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
			Cluster(8, P);
			SpatialMap(Sz(S),2) X;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
		}
	}
}
