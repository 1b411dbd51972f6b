import { parentPort, workerData } from 'node:worker_threads'
import { lowerThreadPriority } from '../../../kernel/threads/thread-priority.ts'
import { packThreadError } from '../../../kernel/threads/thread-error.ts'
import type { LoraAdapter } from '../../files/lora-adapter.ts'
import { EngineHost } from '../engine/engine-host.ts'
import type { FromThread, ThreadStart, ToThread } from './messages.ts'

const port = parentPort
if (port === null) throw new Error('generation-thread.ts is started as a worker thread')

const post = (message: FromThread): void => {
  port.postMessage(message)
}

const { base, vocabulary, settings }: ThreadStart = workerData
if (settings.isBackground === true) lowerThreadPriority()
const wanted = new Map<string, PromiseWithResolvers<LoraAdapter>>()
const controllers = new Map<number, AbortController>()

const host = new EngineHost(base, vocabulary, settings, async (hash) => {
  const known = wanted.get(hash)
  if (known !== undefined) return await known.promise
  const arrival = Promise.withResolvers<LoraAdapter>()
  wanted.set(hash, arrival)
  post({ type: 'wanted', hash })
  return await arrival.promise
})

port.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'generate':
      void answer(message.call, async (signal) => ({
        type: 'generation',
        call: message.call,
        value: await host.generate(message.request, signal),
      }))
      return
    case 'score':
      void answer(message.call, async (signal) => ({
        type: 'scores',
        call: message.call,
        value: await host.score(message.ids, message.adapterHash, signal),
      }))
      return
    case 'stats':
      post({ type: 'stats', call: message.call, value: host.stats() })
      return
    case 'cancel':
      controllers.get(message.call)?.abort()
      return
    case 'adapter':
      if (message.adapter !== null) wanted.get(message.hash)?.resolve(message.adapter)
      else wanted.get(message.hash)?.reject(new Error('the requests for this adapter were cancelled'))
      wanted.delete(message.hash)
      return
    case 'close':
      void answer(message.call, async () => {
        await host.close()
        return { type: 'closed', call: message.call }
      })
  }
})

async function answer(call: number, work: (signal: AbortSignal) => Promise<FromThread>): Promise<void> {
  const controller = new AbortController()
  controllers.set(call, controller)
  try {
    post(await work(controller.signal))
  } catch (error) {
    post({ type: 'failed', call, error: packThreadError(error) })
  } finally {
    controllers.delete(call)
  }
}
