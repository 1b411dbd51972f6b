/** A file that is made while it is read, piece by piece. */
export interface ExportFile {
  readonly fileName: string
  readonly mediaType: string
  readonly pieces: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>
}

/** One file of several that go out together. */
export interface ExportMember {
  readonly name: string
  readonly sizeBytes: number
  readonly pieces: () => Iterable<Uint8Array>
}

/** A file that lies in memory. */
export function plainMember(name: string, bytes: Uint8Array): ExportMember {
  return { name, sizeBytes: bytes.length, pieces: () => [bytes] }
}
