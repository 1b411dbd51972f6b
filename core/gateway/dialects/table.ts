import type { DialectName } from '../provider.ts'
import { chatCompletions } from './chat-completions.ts'
import type { Dialect } from './dialect.ts'
import { generateContent } from './generate-content.ts'
import { messages } from './messages.ts'

/** Every dialect by its name. */
export const DIALECT_TABLE: Readonly<Record<DialectName, Dialect>> = {
  'chat-completions': chatCompletions,
  messages,
  'generate-content': generateContent,
}
