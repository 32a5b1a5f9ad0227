extension ReplicaPart {
    package var points: TrackPoints { TrackPoints(context: context) }
    package var projection: TrackProjection { TrackProjection(context: context) }
}
