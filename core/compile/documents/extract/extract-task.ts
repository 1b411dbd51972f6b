import type { Chunk } from '../chunk-text.ts'
import type { Modality } from '../modality.ts'

/** Bounds of extracting one document. */
export interface ExtractBounds {
  /** Characters of its text; what is behind them is left out, and said. */
  readonly textChars: number
  /** Bytes that the parts of an office file may inflate to. */
  readonly inflatedBytes: number
}

/** A document as it was read. */
export interface ExtractedDocument {
  readonly modality: Modality
  readonly chunks: readonly Chunk[]
  readonly characters: number
  /** False for kinds without an extractor and for files that could not be read; `reason` says why. */
  readonly isExtracted: boolean
  readonly reason: string | null
}

/** The task of an extracting thread. */
export type ExtractTasks = {
  readonly extract: {
    readonly input: { readonly name: string; readonly bytes: Uint8Array; readonly bounds: ExtractBounds }
    readonly output: ExtractedDocument
  }
}

/** Thrown for a file that its extractor cannot read: the message is for the owner of the file and completes "the file …". */
export class UnreadableDocument extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UnreadableDocument'
  }
}
