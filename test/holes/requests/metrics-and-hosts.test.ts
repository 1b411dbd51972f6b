import { networkInterfaces } from 'node:os'
import { expect } from 'chai'
import { pino } from 'pino'
import { answerTo } from '../../../api/kernel/reply/errors.ts'
import { answerError } from '../../../api/kernel/observe.ts'
import { isFromThisMachine } from '../../../api/kernel/request/this-machine.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { ERROR_CODES } from '../../../core/errors.ts'
import { useApi } from '../../support/api.ts'
import { exchange } from '../../support/wire/exchange.ts'

describe('metrics without a token', () => {
  const api = useApi()
  const open = useApi({ settings: { areMetricsPublic: true } })
  const proxied = useApi({ settings: { trustedProxyHops: 1 } })

  it('answer this machine, and no caller behind a proxy', async () => {
    expect((await api.call('GET', '/metrics')).status).to.equal(200)
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'x-forwarded-proto', 'x-forwarded-host']) {
      const answer = await api.call('GET', '/metrics', { headers: { [name]: '127.0.0.1' } })
      expect([answer.status, answer.body.code], name).to.deep.equal([401, 'invalid_metrics_bearer'])
    }
    const named = await exchange(api.url, 'GET /metrics HTTP/1.1\r\nHost: api.example.com\r\nConnection: close\r\n\r\n')
    expect(named).to.match(/^HTTP\/1.1 401 [^]*"request_id"/)
    expect((await proxied.call('GET', '/metrics')).status).to.equal(401)
  })

  it('answer all callers when the operator says so', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    expect((await open.call('GET', '/metrics', { headers })).status).to.equal(200)
  })

  it('know this machine by the address of the socket alone', () => {
    const from = (remoteAddress: string, headers = {}) => {
      const request: unknown = { socket: { remoteAddress }, headers: { host: '127.0.0.1:8080', ...headers } }
      return isFromThisMachine(request as Parameters<typeof isFromThisMachine>[0])
    }
    for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
      expect(from(address), address).to.equal(true)
    const own = Object.values(networkInterfaces()).flatMap((list) => list?.filter(({ internal }) => !internal) ?? [])
    for (const address of ['10.0.0.1', '::ffff:10.0.0.1', '2001:db8::1', ...own.map((one) => one.address)])
      expect(from(address), address).to.equal(false)
  })
})

describe('a request', () => {
  const api = useApi()

  for (const [what, head, status] of [
    ['without a Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['with two', 'GET /health HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n', 400],
    ['with the same twice, on a page', 'GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\nConnection: close\r\n\r\n', 400],
    ['without a Host, on a path that is none', 'GET /nowhere HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['with one', 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 200],
    ['of HTTP/1.0, which knows none', 'GET /health HTTP/1.0\r\n\r\n', 200],
  ] as const) {
    it(`${what} is answered with ${status}, in our envelope`, async () => {
      const answer = await exchange(api.url, head)
      expect(answer).to.match(new RegExp(`^HTTP/1.1 ${status} `))
      if (status === 400) expect(answer).to.include('"code":"invalid_http"').and.include('"request_id":"req_')
    })
  }
})

describe('a failure of a service that the caller chose', () => {
  it('is one line of warning without a stack', () => {
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    const error = ACCOUNTS_ERRORS.identity_provider_failed('the metadata cannot be read', { cause: new Error('x') })
    const ctx = { headerSent: true, res: { destroy: () => undefined } }
    const call = { requestId: 'req_1', route: undefined, errorCode: undefined }
    const given: unknown[] = [ctx, { log }, call, error]
    answerError(...(given as Parameters<typeof answerError>))
    expect(lines).to.have.length(1)
    expect(JSON.parse(lines[0] ?? '')).to.include({ level: 40, code: 'identity_provider_failed' })
    expect(lines[0]).not.to.include('stack')
  })

  it('is distinguished from a failure of our own', () => {
    for (const code of [
      'identity_provider_failed',
      'provider_unreachable',
      'provider_timeout',
      'provider_auth_failed',
    ] as const)
      expect(answerTo(ERROR_CODES[code]('x'), 'req_1').isFault, code).to.equal(false)
    for (const code of ['processor_failed', 'mail_not_delivered', 'store_unavailable'] as const)
      expect(answerTo(ERROR_CODES[code]('x'), 'req_1').isFault, code).to.equal(true)
  })
})
