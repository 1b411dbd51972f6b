import { ChatDocsAnswer } from '../../core/gateway/wire/assist/assistant.ts'
import type { CliContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'

/** `svc docs`: answers a question from the documentation of the server. Returns the exit code: 1 when it holds no answer. */
export async function askDocs(context: CliContext, query: string): Promise<number> {
  const guest = await context.guest()
  const answer = await guest.call('/v1/assistant/chat-docs', ChatDocsAnswer, { method: 'POST', json: { query } })
  const url = await context.url()
  context.output.result(answer, () => {
    const sources = answer.sources.map(
      ({ n, title, heading, url: path }) => `[${n}] ${title}: ${heading}${path === null ? '' : `  ${url}${path}`}`,
    )
    return [answer.response, ...(sources.length === 0 ? [] : ['', ...sources])].join('\n')
  })
  return answer.known ? EXIT.ok : EXIT.failed
}
