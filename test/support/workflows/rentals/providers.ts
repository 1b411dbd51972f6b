import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Market, RentedMachine } from './market.ts'

/** A provider that listens. */
export interface ProviderServer {
  readonly url: string
  close(): Promise<void>
}

type Answer = (status: number, body: unknown) => void

interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

/** RunPod's GraphQL API of pods, as far as pods are deployed, listed and terminated; strict about names and variables. */
export async function startPods(market: Market): Promise<ProviderServer> {
  return await serve(market, ({ method, path, body }, answer) => {
    if (method !== 'POST' || path !== '/graphql') return answer(404, { errors: [{ message: 'not found' }] })
    const query = textAt(body, 'query')
    const input = at(at(body, 'variables'), 'input')
    if (query.includes('podFindAndDeployOnDemand(')) {
      const missing = ['gpuTypeId', 'imageName', 'name', 'cloudType'].filter((field) => textAt(input, field) === '')
      if (missing.length > 0) return answer(200, { errors: [{ message: `missing ${missing.join()}` }] })
      const environment = pairs(at(input, 'env'))
      const rented = market.rent({ name: textAt(input, 'name'), image: textAt(input, 'imageName'), environment })
      if (rented === undefined) return answer(502, '<html>bad gateway</html>')
      if (rented === 'no_capacity') {
        const message = 'There are no longer any instances available with the requested specifications.'
        return answer(200, { errors: [{ message }], data: { podFindAndDeployOnDemand: null } })
      }
      return answer(200, { data: { podFindAndDeployOnDemand: podOf(rented) } })
    }
    if (query.includes('myself')) return answer(200, { data: { myself: { pods: market.running.map(podOf) } } })
    if (query.includes('podTerminate(')) {
      const isKnown = market.end(textAt(input, 'podId'))
      return answer(200, isKnown ? { data: { podTerminate: null } } : { errors: [{ message: 'pod not found' }] })
    }
    return answer(400, { errors: [{ message: 'unknown operation' }] })

    function podOf({ id, name }: RentedMachine) {
      return { id, name, costPerHr: market.usdPerHour, desiredStatus: 'RUNNING' }
    }
  })
}

/** Lambda's Cloud API of instances; the container of a machine is read out of its cloud-init document. */
export async function startVms(market: Market): Promise<ProviderServer> {
  return await serve(market, ({ method, path, body }, answer) => {
    const refuse = (status: number, code: string) => answer(status, { error: { code, message: code, suggestion: '' } })
    if (method === 'GET' && path === '/instances') {
      const instance_type = { name: 'gpu_1x_a10', price_cents_per_hour: market.usdPerHour * 100 }
      return answer(200, {
        data: market.running.map(({ id, name }) => ({ id, name, status: 'active', instance_type })),
      })
    }
    if (method === 'POST' && path === '/instance-operations/launch') {
      const script = textAt(body, 'user_data')
      const [, line = '[]'] = /^#cloud-config\nruncmd:\n {2}- (.*)\n$/.exec(script) ?? []
      const words: unknown = JSON.parse(line)
      const run = Array.isArray(words) ? words.map(String) : []
      if (textAt(body, 'region_name') === '' || textAt(body, 'instance_type_name') === '' || run[0] !== 'docker') {
        return refuse(400, 'global/invalid-parameters')
      }
      const variables = run.flatMap((word, place) => (run[place - 1] === '-e' ? [word] : []))
      const environment = Object.fromEntries(variables.map((each) => splitAt(each)))
      const image = run.find((word, place) => word.includes('/') && run[place - 1] !== '-e') ?? ''
      const rented = market.rent({ name: textAt(body, 'name'), image, environment })
      if (rented === undefined) return answer(503, {})
      if (rented === 'no_capacity') return refuse(400, 'instance-operations/launch/insufficient-capacity')
      return answer(200, { data: { instance_ids: [rented.id] } })
    }
    if (method === 'POST' && path === '/instance-operations/terminate') {
      const ids = at(body, 'instance_ids')
      const isKnown = Array.isArray(ids) && ids.every((id) => market.end(String(id)))
      return isKnown ? answer(200, { data: { terminated_instances: [] } }) : refuse(404, 'global/object-does-not-exist')
    }
    return refuse(404, 'global/not-found')
  })
}

/** Vast.ai's REST API of offers and instances. */
export async function startMarketplace(market: Market): Promise<ProviderServer> {
  const offers = [{ id: 7001 }, { id: 7002 }]
  return await serve(market, ({ method, path, body }, answer) => {
    if (method === 'POST' && path === '/bundles/') {
      if (textAt(at(body, 'gpu_name'), 'eq') === '') return answer(400, { success: false, error: 'invalid_args' })
      return answer(200, {
        offers: offers.map((offer) => ({ ...offer, dph_total: market.usdPerHour, rentable: true })),
      })
    }
    const [, ask] = /^\/asks\/(\d+)\/$/.exec(path) ?? []
    if (method === 'PUT' && ask !== undefined) {
      const environment = textsOf(at(body, 'env'))
      const rented = market.rent({ name: textAt(body, 'label'), image: textAt(body, 'image'), environment })
      if (rented === undefined) return answer(500, {})
      if (rented === 'no_capacity') return answer(400, { success: false, error: 'no_such_ask' })
      return answer(200, { success: true, new_contract: rented.id })
    }
    if (method === 'GET' && path.startsWith('/instances/')) {
      return answer(200, {
        instances: market.running.map(({ id, name }) => ({
          id,
          label: name,
          actual_status: 'running',
          dph_total: market.usdPerHour,
        })),
      })
    }
    const [, instance] = /^\/instances\/(\w+)\/$/.exec(path) ?? []
    if (method === 'DELETE' && instance !== undefined) {
      return market.end(instance)
        ? answer(200, { success: true })
        : answer(404, { success: false, error: 'no_such_instance' })
    }
    return answer(404, { success: false })
  })
}

async function serve(market: Market, handle: (asked: Asked, answer: Answer) => void): Promise<ProviderServer> {
  const server = createServer((request, response) => void take(request, response))
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer: Answer = (status, body) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const body: unknown = request.method === 'GET' ? undefined : await json(request).catch(() => undefined)
    if (request.headers.authorization !== `Bearer ${market.key}`) return answer(401, { error: 'unauthorized' })
    handle({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }, answer)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${portOf(server)}`, close: async () => await closed(server) }
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

function at(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function textAt(value: unknown, name: string): string {
  const text = at(value, name)
  return typeof text === 'string' ? text : ''
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
}

function pairs(value: unknown): Readonly<Record<string, string>> {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  return Object.fromEntries(list.map((each) => [textAt(each, 'key'), textAt(each, 'value')]))
}

function splitAt(text: string): readonly [string, string] {
  const place = text.indexOf('=')
  return [text.slice(0, place), text.slice(place + 1)]
}
