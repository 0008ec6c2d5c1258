/** Bytes stored once by content; everything else holds this. */
export interface ArtifactRef {
  readonly id: string;
  readonly mimeType: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly namespace: string;
  readonly filename?: string;
  readonly width?: number;
  readonly height?: number;
  readonly createdAt: string;
}
