Network N {
	Layer groups_clustered {
		Type: NGCONV
		Dimensions { G: 4, K: 6, C: 8, R: 3, S: 3, Y: 12, X: 10 }
		Dataflow {
			TemporalMap(1,1) G;
			SpatialMap(1,1) K;
			TemporalMap(4,4) C;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
			TemporalMap(Sz(R),1) Y;
			TemporalMap(Sz(S),1) X;
			Cluster(4, P);
			SpatialMap(1,1) C;
			TemporalMap(Sz(R),1) Y;
			TemporalMap(Sz(S),1) X;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
		}
	}
	Layer groups_on_lanes {
		Type: NGCONV
		Stride { X: 2, Y: 2 }
		Dimensions { G: 5, K: 6, C: 3, R: 3, S: 3, Y: 13, X: 13 }
		Dataflow {
			SpatialMap(1,1) G;
			TemporalMap(2,2) K;
			TemporalMap(2,2) C;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
			TemporalMap(Sz(R),1) Y;
			TemporalMap(Sz(S),1) X;
		}
	}
	Layer groups_in_batch {
		Type: NGCONV
		Dimensions { N: 2, G: 3, K: 4, C: 5, R: 3, S: 3, Y: 9, X: 9 }
		Dataflow {
			TemporalMap(1,1) N;
			TemporalMap(1,1) G;
			TemporalMap(2,2) C;
			SpatialMap(2,2) K;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
			TemporalMap(Sz(R),1) Y;
			TemporalMap(Sz(S),1) X;
		}
	}
}
