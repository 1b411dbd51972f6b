import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

/** The person at the browser, as the code host knows them. */
export interface GithubPerson {
  readonly id: number
  readonly login: string
  readonly name?: string | null
  readonly emails: readonly { readonly email: string; readonly primary: boolean; readonly verified: boolean }[]
}

/** A server that speaks the sign-in protocol of the code host: authorize, token, user and addresses. */
export interface GithubServer {
  readonly url: string
  readonly apiUrl: string
  readonly clientId: string
  readonly clientSecret: string
  person: GithubPerson
  close(): Promise<void>
}

interface Issued {
  readonly challenge: string
  readonly redirectUri: string
  readonly person: GithubPerson
}

/** Starts the server on a free port. */
export async function startGithubServer(person: GithubPerson): Promise<GithubServer> {
  const codes = new Map<string, Issued>()
  const tokens = new Map<string, GithubPerson>()
  const clientId = 'client of the test'
  const clientSecret = randomBytes(16).toString('hex')
  const state = { clientId, clientSecret, person }

  const routes: Readonly<
    Record<string, (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>>
  > = {
    'GET /login/oauth/authorize': async (_request, response, { searchParams }) => {
      const code = randomBytes(10).toString('hex')
      const redirectUri = searchParams.get('redirect_uri') ?? ''
      codes.set(code, { challenge: searchParams.get('code_challenge') ?? '', redirectUri, person: state.person })
      const back = new URL(redirectUri)
      back.searchParams.set('code', code)
      back.searchParams.set('state', searchParams.get('state') ?? '')
      response.writeHead(302, { location: back.href }).end()
    },
    'POST /login/oauth/access_token': async (request, response) => {
      const form = new URLSearchParams(await text(request))
      const issued = codes.get(form.get('code') ?? '')
      codes.delete(form.get('code') ?? '')
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      const isRight =
        issued?.challenge === challenge &&
        issued.redirectUri === form.get('redirect_uri') &&
        form.get('client_id') === clientId &&
        form.get('client_secret') === clientSecret
      // The code host answers mistakes with 200 as well.
      if (!isRight) return send(response, 200, { error: 'bad_verification_code' })
      const token = randomBytes(20).toString('hex')
      tokens.set(token, issued.person)
      send(response, 200, { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' })
    },
    'GET /api/user': async (request, response) => {
      const found = personOf(request)
      if (found === undefined) return send(response, 401, { message: 'Bad credentials' })
      send(response, 200, { id: found.id, login: found.login, name: found.name ?? null, type: 'User' })
    },
    'GET /api/user/emails': async (request, response) => {
      const found = personOf(request)
      if (found === undefined) return send(response, 401, { message: 'Bad credentials' })
      send(
        response,
        200,
        found.emails.map((entry) => ({ ...entry, visibility: null })),
      )
    },
  }
  const personOf = ({ headers }: IncomingMessage): GithubPerson | undefined =>
    tokens.get(/^Bearer (\w+)$/i.exec(headers.authorization ?? '')?.[1] ?? '')

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://server')
    const route = routes[`${request.method} ${url.pathname}`]
    if (route === undefined) return send(response, 404, { message: 'Not Found' })
    route(request, response, url).catch((error: unknown) => send(response, 500, { message: String(error) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port')
  const url = `http://127.0.0.1:${address.port}`
  return Object.assign(state, {
    url,
    apiUrl: `${url}/api`,
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  })
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}
