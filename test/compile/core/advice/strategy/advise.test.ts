import { expect } from 'chai'
import { adviseStrategy } from '../../../../../core/compile/stages/advice/strategy/advise.ts'
import { learnBasis } from '../../../../../core/compile/stages/advice/strategy/basis.ts'
import { completeProfile, ProfileInput } from '../../../../../core/compile/stages/advice/strategy/profile.ts'

const profile = (input: object) => completeProfile(ProfileInput.parse(input))
const NOTHING = { hasProvider: false }

describe('build strategy', () => {
  it('recovers the slope of a data-size curve and its interval', () => {
    const sizes = [10, 20, 40, 80, 160, 320]
    const exact = learnBasis(
      sizes.map((rows) => ({ rows, kScore: 0.5 + 0.05 * Math.log2(rows / 10) })),
      80,
    )
    expect(exact).to.deep.equal({
      kind: 'own_runs',
      runs: 6,
      expected_k: 0.65,
      gain_per_doubling: 0.05,
      gain_low: 0.05,
      gain_high: 0.05,
    })
    const noise = [0.03, -0.04, 0.05, -0.05, 0.04, -0.03]
    const noisy = learnBasis(
      sizes.map((rows, i) => ({ rows, kScore: 0.7 + (noise[i] ?? 0) })),
      80,
    )
    expect(noisy).to.include({ kind: 'own_runs' })
    if (noisy.kind === 'own_runs') expect(noisy.gain_low).to.be.below(0).and.to.be.below(noisy.gain_high)
  })

  it('says that there is no basis rather than to invent one', () => {
    expect(learnBasis([], 100)).to.include({ kind: 'none', runs: 0 })
    const same = Array.from({ length: 9 }, () => ({ rows: 100, kScore: 0.9 }))
    expect(learnBasis(same, 100)).to.include({ kind: 'none', runs: 9 })
    const plan = adviseStrategy(profile({ real_pairs: 200, holdout_pairs: 40 }), [], NOTHING)
    expect(plan.ranked.flatMap((action) => action.reasons).join(' ')).to.contain('no basis yet')
  })

  it('advises to collect rows while they are too few, and never to train then', () => {
    const plan = adviseStrategy(profile({ task: 'chat', real_pairs: 5 }), [], { hasProvider: true })
    expect(plan.recommendation.id).to.equal('collect_more_real_pairs')
    expect(plan.next_actions).to.include('do_not_train_yet').and.not.include('distill_or_train')
    expect(plan.sufficiency).to.deep.equal({ train_ready: false, distill_ready: false, low_holdout: true })
  })

  it('never recommends what cannot be done here', () => {
    for (const task of ['classification', 'generation', 'unknown']) {
      for (const real of [0, 10, 100, 1000]) {
        const plan = adviseStrategy(profile({ task, real_pairs: real, privacy: 'airgap' }), [], NOTHING)
        expect(plan.recommendation.feasible).to.equal(true)
        expect(plan.next_actions).to.not.include.members(['provider_route_fallback'])
        expect(plan.next_actions).to.not.include.members(['cloud_compute_plan'])
        if (real < 50) expect(plan.next_actions).to.not.include.members(['distill_or_train'])
      }
    }
  })

  it('names training as possible from enough rows on, since a trainer is built in, and a provider when there is one', () => {
    const rows = profile({ task: 'generation', real_pairs: 200, holdout_pairs: 40, requires_training: true })
    const actions = (hasProvider: boolean) => adviseStrategy(rows, [], { hasProvider }).next_actions
    expect(actions(false)).to.include('distill_or_train').and.not.include('provider_route_fallback')
    expect(actions(true)).to.include('provider_route_fallback')
  })

  it('names the artifact that exists first', () => {
    const plan = adviseStrategy(
      profile({ task: 'generation', real_pairs: 200, existing_artifact: 'cmp_0123456789abcdefghjkmnpqrs' }),
      [],
      NOTHING,
    )
    expect(plan.recommendation.id).to.equal('run_existing_artifact_locally')
  })
})
