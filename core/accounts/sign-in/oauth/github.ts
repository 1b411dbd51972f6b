import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  Configuration,
  fetchProtectedResource,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { z } from 'zod'
import { ACCOUNTS_ERRORS } from '../../errors.ts'
import type { OAuthProvider } from './provider.ts'
import { allowPlainHttp, ANSWER_S, askProvider } from './requests.ts'

/** Client registration at GitHub, and GitHub's address. */
export interface GithubSettings {
  readonly clientId: string
  readonly clientSecret: string
  readonly url: string
  readonly apiUrl: string
}

const User = z.object({
  id: z.int().positive(),
  login: z.string(),
  name: z.string().nullish(),
})

const Emails = z.array(z.object({ email: z.string().max(254), primary: z.boolean(), verified: z.boolean() })).max(1000)

/** An answer of GitHub's interface is a page of JSON at most, bytes. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** Sign-in with GitHub: OAuth 2.0 code flow with PKCE. GitHub issues no ID token; its API identifies the user. */
export function createGithub(settings: GithubSettings): OAuthProvider {
  const { url, apiUrl, clientId, clientSecret } = settings
  const config = new Configuration(
    {
      issuer: `${url}/login/oauth`,
      authorization_endpoint: `${url}/login/oauth/authorize`,
      token_endpoint: `${url}/login/oauth/access_token`,
    },
    clientId,
    clientSecret,
  )
  config.timeout = ANSWER_S
  allowPlainHttp(config, url)

  const read = async <T>(accessToken: string, path: string, schema: z.ZodType<T>): Promise<T> => {
    const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'svc' })
    const target = new URL(`${apiUrl}${path}`)
    const response = await fetchProtectedResource(config, accessToken, target, 'GET', null, headers)
    if (response.status !== 200) {
      await response.body?.cancel()
      throw ACCOUNTS_ERRORS.identity_provider_failed(`GitHub answered ${response.status}`)
    }
    const parsed = schema.safeParse(JSON.parse(await boundedText(response)))
    if (parsed.success) return parsed.data
    throw ACCOUNTS_ERRORS.identity_provider_failed('GitHub’s answer has an unexpected form', { cause: parsed.error })
  }

  return {
    id: 'github',
    async begin(redirectUri) {
      const codeVerifier = randomPKCECodeVerifier()
      const state = randomState()
      const target = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'read:user user:email',
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        state,
      })
      return { url: target.href, checks: { state, codeVerifier, nonce: null } }
    },
    async finish(callbackUrl, { state, codeVerifier }) {
      return await askProvider('GitHub', async () => {
        const tokens = await authorizationCodeGrant(config, callbackUrl, {
          expectedState: state,
          pkceCodeVerifier: codeVerifier,
        })
        const user = await read(tokens.access_token, '/user', User)
        const emails = await read(tokens.access_token, '/user/emails', Emails)
        // The profile's e-mail address is not verified; only the primary verified one identifies the user.
        const own = emails.find(({ primary, verified }) => primary && verified)
        return { subject: String(user.id), verifiedEmail: own?.email ?? null, displayName: user.name ?? user.login }
      })
    },
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length
    if (sizeBytes > MAX_ANSWER_BYTES) throw ACCOUNTS_ERRORS.identity_provider_failed('GitHub’s answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, sizeBytes).toString('utf8')
}
