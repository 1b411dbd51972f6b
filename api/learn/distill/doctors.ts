import { examineOnPolicy, examinePreference, type Finding } from '../../../core/learn/plans/doctor/diagnose-trainers.ts'
import type { Trainer } from '../../../core/learn/plans/doctor/trainers.ts'
import { TrainerDoctorAnswer } from '../../../core/learn/wire/distill/doctors.ts'
import { DOCUMENTS } from '../../kernel/guard/public-limits.ts'
import { bareDocument } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { findTrainers } from '../find-trainers.ts'

/** Seconds for which one answer serves all callers: pollers are known for minutes. */
const KEPT_S = 2

type Kind = 'distill_onpolicy' | 'distill_preference'

function present(kind: Kind, trainers: readonly Trainer[] | null, finding: Finding) {
  return {
    ok: finding.ready,
    ready: finding.ready,
    kind,
    trainer: finding.able.length === 0 ? null : finding.able.join(', '),
    trainer_source: 'task_queue' as const,
    requires_local_teacher: kind === 'distill_onpolicy',
    objectives: [...finding.objectives],
    trainers: (trainers ?? []).map(({ kind: of, versions, device, objectives, lastHeard }) => ({
      kind: of,
      versions: { ...versions },
      device,
      objectives: [...objectives],
      last_heard_at: lastHeard.toISOString(),
    })),
    missing: finding.missing.map((each) => ({ ...each })),
    ...(finding.installHint !== null && {
      error: 'no_trainer_installed' as const,
      install_hint: finding.installHint,
    }),
  }
}

export const getOnPolicyDoctorRoute = defineRoute({
  method: 'get',
  path: '/v1/distill/onpolicy/doctor',
  operationId: 'getOnPolicyDoctor',
  group: 'distill',
  summary: 'Ask whether on-policy distillation can be trained',
  description:
    'Asks the workers that poll the queues of trainers. It is ready when one of them announces generalized distillation (`gkd`); a file or a library alone makes nothing ready.',
  auth: 'public',
  scope: undefined,
  limit: DOCUMENTS,
  keptForS: KEPT_S,
  answers: { 200: bareDocument('The trainers that listen, and what is missing', TrainerDoctorAnswer) },
}).handle(async ({ services }) => {
  const trainers = await findTrainers(services)
  return { status: 200, body: present('distill_onpolicy', trainers, examineOnPolicy(trainers)) }
})

export const getPreferenceDoctorRoute = defineRoute({
  method: 'get',
  path: '/v1/distill/preference/doctor',
  operationId: 'getPreferenceDoctor',
  group: 'distill',
  summary: 'Ask which preference objectives can be trained',
  auth: 'public',
  scope: undefined,
  limit: DOCUMENTS,
  keptForS: KEPT_S,
  answers: { 200: bareDocument('The trainers that listen, and what is missing', TrainerDoctorAnswer) },
}).handle(async ({ services }) => {
  const trainers = await findTrainers(services)
  return { status: 200, body: present('distill_preference', trainers, examinePreference(trainers)) }
})
