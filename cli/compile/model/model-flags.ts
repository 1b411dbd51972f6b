/** Source of the weights. */
export interface ModelFlags {
  readonly base: string
  readonly adapter?: string
}

/** Options of `svc model logprobs`. */
export interface LogProbsFlags extends ModelFlags {
  readonly text: string
}

/** Options of `svc model sample`. */
export interface SampleFlags extends ModelFlags {
  readonly prompt: string
  readonly chat?: boolean
  readonly maxTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly seed?: number
  readonly stop?: readonly string[]
  readonly labels?: string
  readonly regex?: string
  readonly jsonSchema?: string
}
