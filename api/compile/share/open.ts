import { z } from 'zod'
import { SharedView } from '../../../core/compile/wire/share/open.ts'
import { countOpening, openShareLink } from '../../../db/compile/across/open-share-link.ts'
import { bareDocumentOr } from '../../kernel/reply/answers.ts'
import { wantsPage, wantsPreview } from '../../kernel/request/wants-page.ts'
import { defineRoute } from '../services.ts'
import { LINK_ERRORS, LINK_HEADERS, LINK_LIMIT, LinkToken } from './link-terms.ts'
import { linkErrorPage } from './page/error-page.ts'
import { PAGE_HEADERS } from './page/layout.ts'
import { sharedPage } from './page/shared-page.ts'
import { presentShared } from './present.ts'

/** A program that makes a preview of the link gets the page too. */
const VARY = { Vary: 'Accept, User-Agent' } as const

export const openShareLinkRoute = defineRoute({
  method: 'get',
  path: '/r/{token}',
  operationId: 'openShareLink',
  group: 'health',
  summary: 'Show the content of a share link',
  description:
    'The token is the only proof; keys and cookies are ignored. A browser, which accepts `text/html`, gets a page with the same facts, and so do programs that make previews of links; errors are pages too.',
  auth: 'public',
  scope: undefined,
  limit: LINK_LIMIT,
  params: z.object({ token: LinkToken }),
  answers: {
    200: bareDocumentOr('The artifact, and the parts that the link hands out', SharedView, 'text/html; charset=utf-8'),
  },
  errors: LINK_ERRORS,
  errorPage: linkErrorPage,
}).handle(async ({ services, requestId, request, params }) => {
  const link = await openShareLink(services.db, { token: params.token, requestId, now: services.now })
  const isPreview = wantsPreview(request)
  // A preview is not the visit of a person.
  if (!isPreview) await countOpening(link)
  const content = link.kind === 'artifact' ? await services.shared.contents.read(link.op, link.artifact) : null
  const address = `${services.publicUrl()}/r/${params.token}`
  const body = presentShared(link, content, address)
  if (!isPreview && !wantsPage(request)) return { status: 200, headers: { ...LINK_HEADERS, ...VARY }, body }
  return {
    status: 200,
    headers: { ...PAGE_HEADERS, ...VARY },
    raw: { kind: 'bytes', bytes: sharedPage(body, address) },
  }
})
