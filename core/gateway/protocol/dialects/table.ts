import type { CallerDialectName, DialectName } from '../../providers/provider.ts'
import { chatCompletions } from './chat-completions/index.ts'
import type { CallerDialect, Dialect, SpokenDialect } from './dialect.ts'
import { generateContent } from './generate-content/index.ts'
import { messages } from './messages/index.ts'
import { responses } from './responses/index.ts'

/** Every dialect that requests are translated into, by its name. */
export const DIALECT_TABLE: Readonly<Record<DialectName, Dialect>> = {
  'chat-completions': chatCompletions,
  messages,
  'generate-content': generateContent,
}

/** Every dialect of callers by its name. */
export const CALLER_TABLE: Readonly<Record<CallerDialectName, CallerDialect & SpokenDialect>> = {
  ...DIALECT_TABLE,
  responses,
}
