import { z } from 'zod'
import { sdkBases, SNIPPET_LANGUAGES, snippetOf } from '../../../../core/gateway/captures/recording/snippets.ts'
import { CaptureNamespace } from '../../../../core/gateway/wire/captures/fields.ts'
import { DEFAULT_NAMESPACE } from '../../../../db/billing/usage/charged-to.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { credentialOf } from '../../../kernel/guard/credentials.ts'
import { defineRoute } from '../../services.ts'

const PLACEHOLDER = 'ks_YOUR_KEY'

export const getCaptureSnippetRoute = defineRoute({
  method: 'get',
  path: '/v1/capture/snippet',
  operationId: 'getCaptureSnippet',
  group: 'captures',
  summary: 'Show a program that stores a capture',
  description:
    'In one of seven languages, without dependencies (the tests of the service run all but Ruby), and the base addresses that make the SDKs of providers captured. It holds the key of the call where the call had one, else a placeholder.',
  auth: 'optional',
  scope: 'capture:write',
  namespace: 'none: it shows a program, and nothing of a tenant',
  limit: { name: 'capture_snippets', limit: 'documents_per_ip_minute', windowS: 60, counts: 'calls' },
  query: z.object({
    namespace: CaptureNamespace.default(DEFAULT_NAMESPACE),
    lang: z.enum(SNIPPET_LANGUAGES).default('curl'),
  }),
  answers: {
    200: envelope(
      'The program',
      z.object({
        lang: z.enum(SNIPPET_LANGUAGES),
        namespace: z.string(),
        has_key: z.boolean(),
        snippet: z.string(),
        sdk_base_urls: z.record(z.string(), z.string()),
      }),
    ),
  },
}).handle(async ({ services, principal, request, query: { namespace, lang } }) => {
  const credential = credentialOf(request)
  const key = principal !== undefined && credential.kind === 'key' ? credential.apiKey : null
  const baseUrl = services.publicUrl()
  return await Promise.resolve({
    status: 200,
    body: {
      lang,
      namespace,
      has_key: key !== null,
      snippet: snippetOf(lang, { baseUrl, namespace, key: key ?? PLACEHOLDER }),
      sdk_base_urls: sdkBases(baseUrl),
    },
    headers: { 'Cache-Control': 'private, no-store' },
  })
})
