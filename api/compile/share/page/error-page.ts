import { markup } from '../../../../core/kernel/wire/markup.ts'
import type { ErrorAnswer, ErrorPage } from '../../../kernel/reply/errors.ts'
import { PAGE_HEADERS, renderPage } from './layout.ts'

interface Words {
  readonly title: string
  /** The event, in words. */
  readonly text: string
  /** The next step for the reader. */
  readonly remedy: string
}

const ASK = 'Ask the person who sent you the link for a new one.'

const KNOWN: Readonly<Partial<Record<string, Words>>> = {
  not_found: {
    title: 'This link does not exist',
    text: 'The address is not complete, or it was changed.',
    remedy: `Open the link again as you received it. ${ASK}`,
  },
  share_link_expired: {
    title: 'This link has ended',
    text: 'Share links end after some days, or when their owner ends them.',
    remedy: ASK,
  },
  artifact_expired: {
    title: 'This link has ended',
    text: 'The artifact that it shows has expired.',
    remedy: ASK,
  },
  artifact_revoked: {
    title: 'This link has ended',
    text: 'The owner has revoked the artifact that it shows. Copies of it are no longer valid.',
    remedy: ASK,
  },
  rate_limited: {
    title: 'Too many visits',
    text: 'Your network has opened share links too often in the last minute.',
    remedy: 'Wait a minute, then open the link again.',
  },
}

/** Shows an error of a share link to a person. */
export function linkErrorPage({ status, envelope, retryAfterS }: ErrorAnswer): ErrorPage {
  const words = KNOWN[envelope.code] ?? {
    title: status >= 500 ? 'The page cannot be shown now' : 'The page cannot be shown',
    text: status >= 500 ? 'The service cannot answer at the moment.' : `${envelope.error}.`,
    remedy: retryAfterS === undefined ? 'Try again in a minute.' : `Try again in ${retryAfterS} s.`,
  }
  const html = renderPage({
    title: words.title,
    main: markup`<h1>${words.title}</h1>
<p class="lead">${words.text}</p>
<p>${words.remedy}</p>
<p class="quiet">Code <code>${envelope.code}</code>, request <code>${envelope.request_id}</code></p>`,
  })
  return { html, headers: PAGE_HEADERS }
}
