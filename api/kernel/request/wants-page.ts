import type { IncomingMessage } from 'node:http'

/** Programs that fetch a page to show its title and picture where a link was posted; many of them accept any media type. */
const PREVIEWERS =
  /facebookexternalhit|facebot|twitterbot|slackbot|discordbot|linkedinbot|whatsapp|telegrambot|skypeuripreview|mastodon|iframely|redditbot|applebot|cardyb|embedly|pinterestbot/i

/** True when a browser asks for a page, and not a program for JSON (RFC 9110, 12.5.1). */
export function wantsPage({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const page = qualityOf(headers.accept, 'text/html')
  return page > 0 && page >= qualityOf(headers.accept, 'application/json')
}

/** True when a program asks for a preview of a page and states no media type. */
export function wantsPreview({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const accept = (headers.accept ?? '').trim()
  return (accept === '' || accept === '*/*') && PREVIEWERS.test(headers['user-agent'] ?? '')
}

/** The quality that `Accept` gives a media type by its name; 0 where it does not name it. */
function qualityOf(accept: string | undefined, mediaType: string): number {
  for (const range of (accept ?? '').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    if (type !== mediaType) continue
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
    return Number.isFinite(quality) ? Math.min(Math.max(quality, 0), 1) : 0
  }
  return 0
}
