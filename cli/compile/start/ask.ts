import { createInterface } from 'node:readline/promises'
import { JobView } from '../../../core/compile/wire/jobs/job.ts'
import { AnswerBody, AnsweredQuestion, type QuestionView } from '../../../core/compile/wire/jobs/questions.ts'
import { CliError, usageError } from '../../cli-error.ts'
import type { ApiClient } from '../../client/api-client.ts'
import type { CliContext } from '../../context.ts'

/** Codes of a question that takes no answer any more: the compile continued. */
const TOO_LATE: ReadonlySet<string> = new Set(['question_closed', 'question_answered', 'already_finished'])

/** Throws `CliError` unless questions can be answered here: in a terminal, by a command that waits for the job. */
export function requireTerminal({ output }: CliContext, flags: { readonly async?: boolean }): void {
  if (flags.async === true) throw usageError('--ask waits for the job: omit --async')
  if (output.isJson) throw usageError('--ask asks a person: omit --json')
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw usageError('--ask needs a terminal; without one, answer with POST /v1/compile/{id}/answers')
  }
}

/** Asks one question in the terminal and sends the answer. An unreadable answer is asked for again. */
export async function askInTerminal(
  client: ApiClient,
  { jobId, number }: { readonly jobId: string; readonly number: number },
): Promise<void> {
  const path = `/v1/compile/${encodeURIComponent(jobId)}`
  const job = await client.call(path, JobView)
  const question = job.questions?.find((one) => one.question === number)
  if (question?.state !== 'open') return
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: true })
  try {
    process.stderr.write(`\n${describeQuestion(question)}\n`)
    for (;;) {
      const answer = readReply(await reader.question('> '), question)
      if (answer === undefined) {
        process.stderr.write(`${CHOICES}\n`)
        continue
      }
      await send(client, `${path}/answers`, { question: number, answer })
      return
    }
  } finally {
    reader.close()
  }
}

async function send(client: ApiClient, path: string, json: AnswerBody): Promise<void> {
  try {
    await client.call(path, AnsweredQuestion, { method: 'POST', json })
  } catch (error) {
    if (!(error instanceof CliError) || !TOO_LATE.has(error.code)) throw error
    process.stderr.write(`too late: ${error.message}\n`)
  }
}

const CHOICES = 'A number chooses; "= text" gives another output; s skips; i says that no such input occurs.'

/** Returns a question with its rival answers as lines of text. */
export function describeQuestion({ question, input, answers }: QuestionView): string {
  return [
    `Question ${question}: what is the output of ${JSON.stringify(input)}?`,
    ...answers.map(
      ({ output, share }, place) => `  ${place + 1}) ${JSON.stringify(output)}  ${Math.round(share * 100)} %`,
    ),
    CHOICES,
  ].join('\n')
}

/**
 * Returns the answer that a line gives; undefined for a line that gives none. Another output is read as JSON where the
 * rival answers are no texts; where there are none, as JSON if it is a number, a truth value, null, an object or a list.
 */
export function readReply(line: string, { answers }: Pick<QuestionView, 'answers'>): AnswerBody['answer'] | undefined {
  const text = line.trim()
  if (text === 's') return 'skip'
  if (text === 'i') return 'invalid_input'
  if (text.startsWith('=')) {
    const given = text.slice(1).trim()
    if (answers.length === 0) return (given.startsWith('"') ? undefined : readJson(given)) ?? { output: given }
    const areTexts = answers.every(({ output }) => typeof output === 'string')
    return areTexts ? { output: given } : readJson(given)
  }
  const chosen = /^\d{1,2}$/.test(text) ? answers[Number(text) - 1] : undefined
  return chosen === undefined ? undefined : AnswerBody.shape.answer.parse({ output: chosen.output })
}

function readJson(text: string): AnswerBody['answer'] | undefined {
  try {
    return AnswerBody.shape.answer.parse({ output: JSON.parse(text) })
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
