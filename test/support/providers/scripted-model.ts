/** One call as a protocol server understood it, in no dialect. */
export interface ScriptedCall {
  /** Number of the call at its server, from 0. */
  readonly index: number
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly text: string }[]
  readonly temperature: number | undefined
  readonly maxTokens: number | undefined
  readonly n: number
  /** The way in which a structured answer was requested. */
  readonly structure: 'schema' | 'json' | 'none'
  readonly schema: unknown
  /** Name that the structured answer was given. */
  readonly schemaName: string | undefined
  /** Names of the tools that may be called. */
  readonly tools: readonly string[]
  /** Results of tools, in order. */
  readonly results: readonly string[]
  /** Addresses of images, `data:` for those that were sent. */
  readonly images: readonly string[]
  readonly isStreamed: boolean
  /** The body as it was sent. */
  readonly raw: string
}

/** A fault of a streamed answer on its way. */
export interface StreamFaults {
  /** Cuts the connection after so many events. */
  readonly cutAfter?: number
  /** Ends the answer properly, but after so many events. */
  readonly endAfter?: number
  /** Sends text that is no JSON after so many events. */
  readonly garbageAfter?: number
  /** Sends the protocol's error event after so many. */
  readonly errorAfter?: number
  /** Called before each event with its number; the event waits for it. */
  readonly before?: (index: number) => Promise<void> | void
}

/** The reaction of the model behind a protocol server to one call. */
export type ScriptedAnswer =
  | {
      /** One text for each sample; fewer than were asked for where the model gives fewer. */
      readonly texts: readonly string[]
      readonly finish?: 'stop' | 'length' | 'refusal'
      /** Reasoning before the answer. */
      readonly thinking?: string
      /** Tools that the model calls after its text. */
      readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: object }[]
      readonly stream?: StreamFaults
      /** Absent: a quarter of the characters. Null: the server does not say. */
      readonly usage?: { readonly input: number; readonly cached?: number; readonly output: number } | null
    }
  /** An error as the dialect words it. */
  | {
      readonly status: number
      readonly message?: string
      readonly code?: string
      /** The field that it names, in the dialect that names one. */
      readonly param?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Takes the call and never answers, cuts the connection, or answers with text that is no JSON. */
  | { readonly fault: 'hang' | 'cut' | 'garbage' }

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
