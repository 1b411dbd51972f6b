import { setTimeout as sleep } from 'node:timers/promises'
import { ProtobufWriter } from '../../../../../model/graph/protobuf-writer.ts'
import { ProviderFault, type Machine, type MachineOrder, type PodProvider } from '../../pod-provider.ts'
import type { AdapterOptions, ProviderAdapter } from '../provider-adapter.ts'
import { GRPC, GrpcRefusal, openGrpc } from './grpc.ts'
import { messagesOf, numberField, textField } from './read-message.ts'

/**
 * Containers ("sandboxes") of Modal, over the gRPC service that its own clients call
 * (https://github.com/modal-labs/modal-client, modal_proto/api.proto). A key is `TOKEN_ID:TOKEN_SECRET`.
 */
export const CONTAINER_ADAPTER: ProviderAdapter = {
  alias: 'modal',
  machine: 'A10G',
  baseUrl: 'https://api.modal.com',
  open: (options) => openContainers(options),
}

/** The app that holds all containers of the service in an account. */
const APP = 'svc'
const CREATE_IF_MISSING = 1
/** Version of the way in which images are built, and of the client whose protocol this is. */
const BUILDER = '2025.06'
const CLIENT = { 'x-modal-client-version': '1.1.0', 'x-modal-client-type': '1', 'x-modal-python-version': '3.12.0' }
const SUCCESS = 1
/** An image is built at its first use. */
const BUILD_LOOKS = 600
const BUILD_LOOK_MS = 1000
const MOST_PAGES = 50

/** Numbers of the fields in api.proto, by message. */
const F = {
  app: { name: 1, creation: 3 },
  image: { image: 2, app: 4, builder: 9, commands: 6 },
  built: { id: 1, result: 2 },
  sandbox: { args: 1, image: 3, resources: 5, timeout: 7, name: 30, environment: 40 },
  resources: { gpu: 4, gpuCount: 2, gpuType: 4 },
  info: { id: 1, createdAt: 3, name: 7 },
  list: { app: 1, before: 2 },
  create: { app: 1, definition: 2 },
  entries: 1,
} as const

function openContainers({ apiKey, baseUrl, machine }: AdapterOptions): PodProvider {
  const [id = '', ...secret] = apiKey.split(':')
  const grpc = openGrpc(baseUrl, 'modal.client.ModalClient', {
    ...CLIENT,
    'x-modal-token-id': id,
    'x-modal-token-secret': secret.join(':'),
  })

  async function appId(signal: AbortSignal): Promise<string> {
    const message = new ProtobufWriter()
    message.string(F.app.name, APP)
    message.integer(F.app.creation, CREATE_IF_MISSING)
    return textField(await grpc.call('AppGetOrCreate', message, signal), 1)
  }

  async function imageId(app: string, image: string, signal: AbortSignal): Promise<string> {
    const message = new ProtobufWriter()
    message.message(F.image.image, (inner) => inner.string(F.image.commands, `FROM ${image}`))
    message.string(F.image.app, app)
    message.string(F.image.builder, BUILDER)
    for (let look = 0; look < BUILD_LOOKS; look++) {
      const answer = await grpc.call('ImageGetOrCreate', message, signal)
      const [result] = messagesOf(answer, F.built.result)
      const status = result === undefined ? 0 : numberField(result, 1)
      if (status === SUCCESS) return textField(answer, F.built.id)
      if (status !== 0) throw new ProviderFault('refused', 'the provider of containers could not build the image')
      await sleep(BUILD_LOOK_MS, undefined, { signal })
    }
    throw new ProviderFault('refused', 'the provider of containers did not build the image in ten minutes')
  }

  async function list(app: string, signal: AbortSignal): Promise<readonly Machine[]> {
    const machines: Machine[] = []
    let before = 0
    for (let page = 0; page < MOST_PAGES; page++) {
      const message = new ProtobufWriter()
      message.string(F.list.app, app)
      if (before > 0) message.double(F.list.before, before)
      const found = messagesOf(await grpc.call('SandboxList', message, signal), 1)
      const last = found.at(-1)
      if (last === undefined) break
      machines.push(
        ...found.map((info) => ({
          id: textField(info, F.info.id),
          name: textField(info, F.info.name),
          usdPerHour: null,
        })),
      )
      before = numberField(last, F.info.createdAt)
    }
    return machines
  }

  return {
    lane: 'gpu_serverless',
    async rent(order, signal) {
      const app = await appId(signal)
      const image = await imageId(app, order.image, signal)
      const message = new ProtobufWriter()
      message.string(F.create.app, app)
      message.message(F.create.definition, (sandbox) => define(sandbox, order, { image, gpu: machine }))
      try {
        const answer = await grpc.call('SandboxCreate', message, signal)
        return { id: textField(answer, 1), name: order.name, usdPerHour: null }
      } catch (error) {
        if (!(error instanceof GrpcRefusal) || error.status !== GRPC.alreadyExists) throw error
        const known = (await list(app, signal)).find(({ name }) => name === order.name)
        if (known === undefined) throw error
        return known
      }
    },
    list: async (signal) => await list(await appId(signal), signal),
    async end(sandboxId, signal) {
      try {
        const message = new ProtobufWriter()
        message.string(1, sandboxId)
        await grpc.call('SandboxTerminate', message, signal)
      } catch (error) {
        if (!(error instanceof GrpcRefusal) || error.status !== GRPC.notFound) throw error
      }
    },
    close: async () => await grpc.close(),
  }
}

function define(
  sandbox: ProtobufWriter,
  { command, environment, name, longestS }: MachineOrder,
  { image, gpu }: { readonly image: string; readonly gpu: string },
): void {
  for (const word of command) sandbox.string(F.sandbox.args, word)
  sandbox.string(F.sandbox.image, image)
  sandbox.message(F.sandbox.resources, (resources) =>
    resources.message(F.resources.gpu, (config) => {
      config.integer(F.resources.gpuCount, 1)
      config.string(F.resources.gpuType, gpu)
    }),
  )
  sandbox.integer(F.sandbox.timeout, Math.ceil(longestS))
  sandbox.string(F.sandbox.name, name)
  sandbox.message(F.sandbox.environment, (variables) => {
    for (const [variable, value] of Object.entries(environment)) {
      variables.message(F.entries, (entry) => {
        entry.string(1, variable)
        entry.string(2, value)
      })
    }
  })
}
