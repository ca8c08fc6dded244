Network N {
	Layer vgg16_conv2_1 {
		Type: CONV
		Stride { X: 1, Y: 1 }
		Dimensions { K: 128, C: 64, R: 3, S: 3, Y: 114, X: 114 }
		Dataflow {
			TemporalMap(6,4) Y;
			SpatialMap(2,2) K;
			TemporalMap(16,16) C;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
			TemporalMap(Sz(S),1) X;
			Cluster(16, P);
			SpatialMap(1,1) C;
			TemporalMap(1,1) K;
			TemporalMap(Sz(R),1) Y;
			TemporalMap(Sz(S),1) X;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
		}
	}
}
