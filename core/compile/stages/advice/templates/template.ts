import type { Json } from '../../../../kernel/json/json.ts'

/** A task to start from, with invented rows. Each compiles and passes with the service's own features. */
export interface Template {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly task: string
  /** Words that a description of a like task would hold, beside those of the texts above. */
  readonly keywords: readonly string[]
  readonly examples: readonly TemplateRow[]
}

/** One made-up row. */
export interface TemplateRow {
  readonly input: Json
  readonly output: Json
}
