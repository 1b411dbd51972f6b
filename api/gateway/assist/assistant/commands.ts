import type { z } from 'zod'
import type { Handbook } from '../../../../core/gateway/ports.ts'
import type { ChatDocsAnswer } from '../../../../core/gateway/wire/assist/assistant.ts'
import { commandsNamed } from '../../../../core/kernel/search/commands.ts'
import { passagesFor } from '../../../../core/kernel/search/extract-answer.ts'

const MOST_COMMANDS = 3

/** Returns the commands of the guides that fit a question, best first. */
export async function fittingCommands(handbook: Handbook, question: string): Promise<string[]> {
  const found = passagesFor(await handbook.commands(), question, MOST_COMMANDS)
  return found.map(({ passage }) => passage.heading)
}

/** Returns the commands in an answer, and which of their verbs the guides show: a model may have invented some. */
export async function commandsIn(
  handbook: Handbook,
  text: string,
): Promise<z.input<typeof ChatDocsAnswer>['commands']> {
  const { passages } = await handbook.commands()
  const verbs = new Set(passages.map(({ heading }) => heading.split(/\s+/)[1]))
  const commands = commandsNamed(text).map(({ raw, verb }) => ({ raw, verb, known: verbs.has(verb) }))
  return { commands, unknown_count: commands.filter(({ known }) => !known).length }
}
