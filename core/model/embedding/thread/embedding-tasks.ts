/** Purposes of embedded texts: a query begins with the model's own prompt. */
export type EmbeddedAs = 'query' | 'document'

/** Vectors of texts and the model that made them. */
export interface Embedded {
  /** Name of the model's folder and digest of its weights: `<name>@sha256:…`. */
  readonly model: string
  readonly dimensions: number
  /** One behind another, each of length 1. */
  readonly vectors: Float32Array
}

/** The task of the thread of embeddings. */
export type EmbeddingTasks = {
  readonly embed: {
    readonly input: {
      readonly folders: readonly string[]
      readonly threads: number
      readonly as: EmbeddedAs
      readonly texts: readonly string[]
    }
    /** Null where no folder has a model of embeddings. */
    readonly output: Embedded | null
    /** A batch of texts is done. */
    readonly progress: 'batch'
  }
}
