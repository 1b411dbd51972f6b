import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { EgressError } from '../../../../core/kernel/egress/egress-error.ts'
import { guardedFetch } from '../../../../core/kernel/egress/guarded-fetch.ts'
import { guardedRequest } from '../../../../core/kernel/egress/guarded-request.ts'
import { isPublicAddress } from '../../../../core/kernel/egress/public-address.ts'
import type { HostAddress, ResolveName } from '../../../../core/kernel/egress/resolve-address.ts'

const BOUNDS = { allowsPrivate: true, maxBytes: 10_000, timeoutMs: 5000 }
const GUARDED = { ...BOUNDS, allowsPrivate: false }

/** Answers one address after the other, and counts how often it was asked. */
function changingName(...addresses: readonly string[]): { resolve: ResolveName; asked: () => number } {
  let asked = 0
  const resolve: ResolveName = async () => {
    const address = addresses[Math.min(asked, addresses.length - 1)] ?? ''
    asked += 1
    const found: HostAddress = { address, family: address.includes(':') ? 6 : 4 }
    return [found]
  }
  return { resolve, asked: () => asked }
}

async function faultOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    if (error instanceof EgressError) return error.fault
    throw error
  }
  return 'answered'
}

describe('calls to addresses that callers give', () => {
  let server: Server
  let port: number
  before(async () => {
    server = createServer((request, response) => {
      switch (request.url) {
        case '/redirect':
          response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
          break
        case '/large':
          response.end(Buffer.alloc(20_000))
          break
        case '/never':
          response.writeHead(200).write('a')
          break
        default:
          response.writeHead(200, { 'content-type': 'Text/XML; charset=utf-8' })
          response.end(JSON.stringify({ to: request.socket.localAddress, host: request.headers.host }))
      }
    })
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
    const address: AddressInfo | string | null = server.address()
    port = typeof address === 'object' && address !== null ? address.port : 0
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  it('connects to the address it checked, whatever the name leads to a moment later', async () => {
    const name = changingName('127.0.0.1', '127.0.0.2')
    const url = `http://rebinding.example.test:${port}/`
    const { status, bytes } = await guardedRequest({ method: 'GET', url, headers: {} }, BOUNDS, name.resolve)
    expect(status).to.equal(200)
    expect(JSON.parse(bytes.toString())).to.deep.equal({ to: '127.0.0.1', host: `rebinding.example.test:${port}` })
    expect(name.asked()).to.equal(1)
  })

  it('refuses names and addresses that are not on the public internet', async () => {
    for (const address of [
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '100.64.0.1',
      '::1',
      'fd00::1',
      '::ffff:10.0.0.1',
    ]) {
      const { resolve } = changingName(address)
      const call = { method: 'GET', url: 'https://inside.example.test/', headers: {} } as const
      expect(await faultOf(guardedRequest(call, GUARDED, resolve)), address).to.equal('refused_address')
    }
    for (const host of [
      '127.0.0.1',
      '[::1]',
      '2130706433',
      '0x7f.1',
      '[::ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '0.0.0.0',
    ]) {
      expect(await faultOf(guardedFetch(`https://${host}/`, GUARDED)), host).to.equal('refused_address')
    }
  })

  it('refuses a name of which one address is private', async () => {
    const resolve: ResolveName = async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '192.168.0.1', family: 4 },
    ]
    const call = { method: 'GET', url: 'https://both.example.test/', headers: {} } as const
    expect(await faultOf(guardedRequest(call, GUARDED, resolve))).to.equal('refused_address')
  })

  it('knows the ranges', () => {
    expect(['8.8.8.8', '2606:4700::1111'].every(isPublicAddress)).to.equal(true)
    const refused = ['192.0.2.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '64:ff9b::a00:1', '2002:a00:1::', 'x']
    refused.push('::7f00:1', '::a00:1', 'fec0::1', '4000::1', '::ffff:0:7f00:1')
    expect(refused.filter(isPublicAddress)).to.deep.equal([])
  })

  it('wants https, and no password in the address', async () => {
    expect(await faultOf(guardedFetch('http://example.test/', GUARDED))).to.equal('unsupported_url')
    expect(await faultOf(guardedFetch('file:///etc/passwd', BOUNDS))).to.equal('unsupported_url')
    expect(await faultOf(guardedFetch('nonsense', BOUNDS))).to.equal('unsupported_url')
    expect(await faultOf(guardedFetch('https://name:word@example.test/', GUARDED))).to.equal('unsupported_url')
  })

  it('answers a redirect and does not follow it', async () => {
    expect((await guardedFetch(`http://127.0.0.1:${port}/redirect`, BOUNDS)).status).to.equal(302)
  })

  it('bounds the answer in bytes and time', async () => {
    expect(await faultOf(guardedFetch(`http://127.0.0.1:${port}/large`, BOUNDS))).to.equal('too_large')
    const soon = { ...BOUNDS, timeoutMs: 200 }
    expect(await faultOf(guardedFetch(`http://127.0.0.1:${port}/never`, soon))).to.equal('timeout')
    const call = { method: 'GET', url: 'http://slow.example.test/', headers: {} } as const
    expect(await faultOf(guardedRequest(call, soon, () => new Promise(() => {})))).to.equal('timeout')
  })

  it('tells the media type without its parameters', async () => {
    expect((await guardedFetch(`http://127.0.0.1:${port}/`, BOUNDS)).mediaType).to.equal('text/xml')
  })

  it('ends with its signal', async () => {
    const signal = AbortSignal.abort(new Error('gone'))
    let said: unknown
    await guardedFetch(`http://127.0.0.1:${port}/`, { ...BOUNDS, signal }).catch((error: unknown) => {
      said = error
    })
    expect(said).to.have.property('message', 'gone')
  })
})
