import { expect } from 'chai'
import { LANES, type Lane } from '../../../../../core/compile/stages/rentals/lanes.ts'
import {
  ProviderFault,
  type MachineOrder,
  type PodProvider,
} from '../../../../../core/compile/stages/rentals/pod-provider.ts'
import {
  laneNamed,
  openProvider,
  usualMachine,
} from '../../../../../core/compile/stages/rentals/providers/open-provider.ts'
import { startContainers } from '../../../../support/workflows/rentals/containers.ts'
import { Market } from '../../../../support/workflows/rentals/market.ts'
import {
  startMarketplace,
  startPods,
  startVms,
  type ProviderServer,
} from '../../../../support/workflows/rentals/providers.ts'

const SERVERS: Readonly<Record<Lane, (market: Market) => Promise<ProviderServer>>> = {
  gpu_pods: startPods,
  gpu_serverless: startContainers,
  gpu_vm: startVms,
  gpu_market: startMarketplace,
}
const KEY = 'key-id:key secret'.replace(' ', '-')
const ORDER: MachineOrder = {
  name: 'svc-lse-1',
  image: 'registry.example/svc-trainer:1',
  command: ['python', '-m', 'svc_trainer.rented'],
  environment: { SVC_TRAINER_URL: 'https://svc.example', SVC_TRAINER_TOKEN: 'trn_1=2' },
  diskGb: 40,
  longestS: 600,
}

describe('providers of machines', () => {
  const never = new AbortController().signal

  for (const lane of LANES) {
    describe(lane, () => {
      let market: Market
      let server: ProviderServer
      let provider: PodProvider
      before(async () => {
        market = new Market({ key: KEY, usdPerHour: 1.5 })
        server = await SERVERS[lane](market)
        provider = open(KEY)
      })
      after(async () => {
        await provider.close()
        await server.close()
      })

      function open(key: string, baseUrl = server.url): PodProvider {
        const machine = usualMachine(lane)
        const settings = { apiKey: key, baseUrl, machine, usdPerHour: 1, region: undefined, sshKey: undefined }
        return openProvider(lane, settings, key)
      }

      it('rents a machine with its image and variables, lists it, and ends it for good', async () => {
        const machine = await provider.rent(ORDER, never)
        expect(machine.name).to.equal(ORDER.name)
        expect(market.running[0]).to.deep.include({ image: ORDER.image, environment: ORDER.environment })
        const [listed, ...others] = await provider.list(never)
        expect(others).to.deep.equal([])
        expect(listed).to.include({ id: machine.id, name: ORDER.name })
        expect(listed?.usdPerHour ?? 1.5).to.equal(1.5)
        await provider.end(machine.id, never)
        expect(await provider.list(never)).to.deep.equal([])
        // Ending is safe to repeat.
        await provider.end(machine.id, never)
        await provider.end('unknown', never)
      })

      it('tells a refusal from an answer that was lost', async () => {
        market.faults.push({ kind: 'no_capacity' }, { kind: 'no_capacity' })
        expect(await kindOf(provider.rent(ORDER, never))).to.equal('no_capacity')
        market.faults.splice(0)
        market.faults.push({ kind: 'twice' })
        expect(await kindOf(provider.rent(ORDER, never))).to.equal('unclear')
        const twins = await provider.list(never)
        expect(twins.map(({ name }) => name)).to.deep.equal([ORDER.name, ORDER.name])
        for (const { id } of twins) await provider.end(id, never)
        const stranger = open('wrong:key')
        expect(await kindOf(stranger.list(never))).to.equal('unauthorized')
        await stranger.close()
        const nowhere = open(KEY, 'http://127.0.0.1:9')
        expect(await kindOf(nowhere.list(never))).to.equal('unclear')
        await nowhere.close()
      })
    })
  }

  it('are known by the id of their lane and by their own name', () => {
    expect(['runpod', 'modal', 'lambda', 'vast', 'gpu_vm', 'abacus'].map(laneNamed)).to.deep.equal([
      'gpu_pods',
      'gpu_serverless',
      'gpu_vm',
      'gpu_market',
      'gpu_vm',
      undefined,
    ])
  })
})

async function kindOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'no fault'
  } catch (error) {
    return error instanceof ProviderFault ? error.kind : String(error)
  }
}
