/** One call as a protocol server understood it, in no dialect. */
export interface ScriptedCall {
  /** Number of the call at its server, from 0. */
  readonly index: number
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly text: string }[]
  readonly temperature: number | undefined
  readonly maxTokens: number | undefined
  readonly n: number
  /** How a structured answer was asked for. */
  readonly structure: 'schema' | 'json' | 'none'
  readonly schema: unknown
  /** Name that the structured answer was given. */
  readonly schemaName: string | undefined
  /** The body as it was sent. */
  readonly raw: string
}

/** What the model behind a protocol server does with one call. */
export type ScriptedAnswer =
  | {
      /** One text for each sample; fewer than were asked for where the model gives fewer. */
      readonly texts: readonly string[]
      readonly finish?: 'stop' | 'length' | 'refusal'
      /** Absent: a quarter of the characters. Null: the server does not say. */
      readonly usage?: { readonly input: number; readonly cached?: number; readonly output: number } | null
    }
  /** An error as the dialect words it. */
  | {
      readonly status: number
      readonly message?: string
      readonly code?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Takes the call and never answers, or cuts the connection. */
  | { readonly fault: 'hang' | 'cut' }

/** The scripted model: what a test says that it answers. */
export type ScriptedModel = (call: ScriptedCall) => ScriptedAnswer | Promise<ScriptedAnswer>

/** An answer with this JSON value as the text of its only sample. */
export function answering(value: unknown): ScriptedAnswer {
  return { texts: [typeof value === 'string' ? value : JSON.stringify(value)] }
}

/** Tokens by the rule of thumb that servers here bill by. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4)
}
