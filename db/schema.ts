import type { InferKyselyDB } from '@mikro-orm/postgresql'
import { ArtifactEntity } from './compile/artifacts/artifact.ts'
import { ArtifactReviewEntity } from './compile/artifacts/life/artifact-review.ts'
import { ArtifactTransitionEntity } from './compile/artifacts/life/artifact-transition.ts'
import { RevocationEntity } from './compile/artifacts/life/revocation.ts'
import { RowReportEntity, RowResultEntity } from './compile/row-results/row-result.ts'
import { BuildReceiptEntity } from './compile/artifacts/build-receipt.ts'
import { AuditEntryEntity, AuditHeadEntity } from './ledger/audit/audit-entry.ts'
import { BlobChunkEntity, BlobDiscardEntity, BlobEntity, BlobUploadEntity } from './kernel/blobs/blob.ts'
import { UnpaidComputeEntity } from './compile/compute/unpaid-compute.ts'
import { ConceptEntity } from './compile/concepts/concept.ts'
import { VersionSketchEntity } from './compile/sketches/version-sketch.ts'
import { VersionEntity } from './compile/concepts/version.ts'
import { JobEventEntity } from './compile/progress/events/job-event.ts'
import { DocumentChunkEntity, DocumentEntity, DocumentVectorEntity } from './compile/documents/document.ts'
import { DocumentIndexEntity, DocumentIndexFileEntity } from './compile/documents/document-index.ts'
import { ExportJobEntity } from './compile/exports/export-job.ts'
import { EvidenceEdgeEntity, EvidenceNodeEntity } from './compile/evidence/evidence-node.ts'
import { IdempotencyClaimEntity } from './kernel/idempotency/idempotency-claim.ts'
import { InvocationHourEntity } from './compile/invocations/invocation-hour.ts'
import { RunBatchEntity } from './compile/batches/run-batch.ts'
import { CompileJobEntity } from './compile/jobs/compile-job.ts'
import { CaptureUseEntity } from './compile/jobs/captures/capture-use.ts'
import { JobStageEntity } from './compile/jobs/stages/job-stage.ts'
import { ApiKeyEntity } from './accounts/keys/api-key.ts'
import { QuotaLeaseEntity, QuotaPeriodEntity } from './billing/quota/quota.ts'
import { QuotaReservationEntity } from './compile/jobs/quota/quota-reservation.ts'
import { RateLimitEntity } from './kernel/rate-limits/rate-limit.ts'
import { ReceiptSecretEntity } from './ledger/receipt-secrets/receipt-secret.ts'
import { ServiceSecretEntity } from './kernel/secrets/service-secret.ts'
import { SessionEntity } from './accounts/sessions/session.ts'
import { SigningKeyEntity } from './ledger/signing-keys/signing-key.ts'
import { CompileAcceptanceEntity } from './compile/progress/acceptances/acceptance.ts'
import { CompileQuestionEntity } from './compile/progress/questions/question.ts'
import { TeacherRoundEntity } from './compile/progress/teacher-samples/teacher-round.ts'
import { TeacherSampleEntity } from './compile/progress/teacher-samples/teacher-sample.ts'
import { MeterRowEntity } from './compile/rentals/meter-row.ts'
import { PoolEntity } from './compile/rentals/pools/pool.ts'
import { KeptCheckpointEntity, LeaseEntity, RentalEntity } from './compile/rentals/rental.ts'
import { TrainingRecordEntity } from './compile/progress/training/training-record.ts'
import { TenantEntity } from './kernel/tenant/tenant.ts'
import { SnoozeEntity } from './overview/account/snooze.ts'
import { AuditCheckpointEntity, AuditPendingEntity } from './ledger/audit/chain/audit-pending.ts'
import { BillingAccountEntity } from './billing/account/billing-account.ts'
import { CheckoutSessionEntity } from './billing/checkouts/checkout-session.ts'
import { DunningEntity } from './billing/dunning/dunning.ts'
import { InvoiceEntity } from './billing/invoices/invoice.ts'
import { PaymentEventEntity } from './billing/events/payment-event.ts'
import { RefundEntity } from './billing/refunds/refund.ts'
import { SubscriptionEntity } from './billing/subscriptions/subscription.ts'
import { ContactRequestEntity } from './overview/contacts/contact-request.ts'
import {
  AdapterManifestEntity,
  ControlEventEntity,
  ExportDeclarationEntity,
} from './gateway/control/control-records.ts'
import { CallTotalsEntity } from './compile/invocations/call-totals.ts'
import { UnitTotalsEntity } from './billing/usage/unit-totals.ts'
import { ExternalIdentityEntity } from './accounts/identities/external-identity.ts'
import { InvitationEntity } from './accounts/invitations/invitation.ts'
import { LoginAttemptEntity } from './accounts/login-attempts/login-attempt.ts'
import { MailEntity, MailTokenEntity } from './accounts/mails/mail.ts'
import { MemberEntity } from './accounts/members/member.ts'
import { WebhookDeliveryEntity } from './accounts/webhooks/webhook-delivery.ts'
import { CachedAnswerEntity } from './gateway/cache/cached-answer.ts'
import { ResponseReferenceEntity } from './gateway/cache/references/reference.ts'
import { ProviderSettingsEntity } from './gateway/providers/provider-settings.ts'
import { BudgetPeriodEntity, BudgetReservationEntity } from './gateway/budgets/budget.ts'
import { ConversationEntity } from './gateway/conversations/conversation.ts'
import { ReviewGapEntity } from './gateway/review-gaps/review-gap.ts'
import { ForgottenTermEntity } from './gateway/forgotten/forgotten-term.ts'
import { NamespaceSettingsEntity } from './gateway/namespaces/namespace-settings.ts'
import { CaptureContentEntity, CaptureEntity, CaptureTextEntity } from './gateway/captures/capture.ts'
import { CaptureMediaEntity } from './gateway/captures/recording/capture-media.ts'
import { CaptureChainEntity, CaptureCheckpointEntity, CaptureHeadEntity } from './gateway/captures/chains.ts'
import { CaptureDayEntity, CaptureMeasureEntity } from './gateway/sums/capture-sums.ts'
import { CopyrightAllowlistEntity, CopyrightFlagEntity } from './gateway/copyright/copyright.ts'
import { ConnectorInterestEntity } from './gateway/connectors/connector-interest.ts'
import { ClientErrorEntity } from './overview/client-errors/client-error.ts'
import { CaptureCertificateEntity, CaptureForgetEntity } from './gateway/captures/forget/forget.ts'
import { ProviderKeyEntity } from './gateway/provider-keys/provider-key.ts'
import { ShareLinkEntity } from './compile/share-links/share-link.ts'
import { ConsumedAssertionEntity, SsoConfigEntity } from './accounts/sso/sso-config.ts'
import { TenantStorageEntity } from './kernel/storage/tenant-storage.ts'
import { TeamEntity, TeamMemberEntity } from './accounts/teams/team.ts'
import { UsageDayEntity } from './billing/usage/usage-day.ts'
import {
  BakeoffAnswerEntity,
  BakeoffContestantEntity,
  BakeoffEntity,
  BakeoffPreferenceEntity,
} from './learn/bakeoffs/bakeoff.ts'
import { InferenceMeasurementEntity } from './learn/bench/inference-measurement.ts'
import { DatasetEntity } from './learn/datasets/dataset.ts'
import { DatasetCaptureEntity } from './learn/datasets/dataset-capture.ts'
import { DatasetFileEntity } from './learn/datasets/dataset-file.ts'
import { DatasetVersionEntity } from './learn/datasets/dataset-version.ts'
import { BenchPackEntity } from './learn/bench/bench-pack.ts'
import { EvaluationEntity, EvaluationRowEntity } from './learn/evals/evaluation.ts'
import { CloudJobEntity } from './learn/cloud/cloud-job.ts'
import { SlotProbeEntity } from './learn/cloud/slot-probe.ts'
import { ClusterCompileEntity } from './learn/traffic/cluster-compile.ts'
import { GateEntity } from './learn/gates/gate.ts'
import { DistillEventEntity, DistillRunEntity, DistillSampleEntity } from './learn/distill/run.ts'
import { HoldoutCorpusEntity, HoldoutRowEntity } from './learn/holdouts/holdout-corpus.ts'
import { TrafficCursorEntity } from './learn/traffic/traffic-cursor.ts'
import { TrafficTemplateEntity } from './learn/traffic/traffic-template.ts'
import { OutboxRowEntity } from './kernel/outbox/outbox-row.ts'

/** The tables as queries see them, with SQL's names. An interface, since an alias is evaluated again at each use. */
export interface Tables extends InferKyselyDB<(typeof TABLES)[number]> {}

/** Every table of the service. */
export const TABLES = [
  TenantEntity,
  ApiKeyEntity,
  SessionEntity,
  ReceiptSecretEntity,
  ServiceSecretEntity,
  SigningKeyEntity,
  AuditEntryEntity,
  AuditHeadEntity,
  BlobEntity,
  BlobChunkEntity,
  BlobUploadEntity,
  BlobDiscardEntity,
  CompileJobEntity,
  CaptureUseEntity,
  JobStageEntity,
  JobEventEntity,
  ConceptEntity,
  VersionEntity,
  ArtifactEntity,
  ArtifactTransitionEntity,
  ArtifactReviewEntity,
  RevocationEntity,
  VersionSketchEntity,
  BuildReceiptEntity,
  RowResultEntity,
  RowReportEntity,
  ExportJobEntity,
  DocumentEntity,
  DocumentChunkEntity,
  DocumentVectorEntity,
  DocumentIndexEntity,
  DocumentIndexFileEntity,
  EvidenceNodeEntity,
  EvidenceEdgeEntity,
  QuotaPeriodEntity,
  UnpaidComputeEntity,
  QuotaLeaseEntity,
  QuotaReservationEntity,
  InvocationHourEntity,
  IdempotencyClaimEntity,
  RateLimitEntity,
  CompileQuestionEntity,
  CompileAcceptanceEntity,
  RunBatchEntity,
  TeacherRoundEntity,
  TeacherSampleEntity,
  TrainingRecordEntity,
  RentalEntity,
  LeaseEntity,
  MeterRowEntity,
  PoolEntity,
  KeptCheckpointEntity,
  SnoozeEntity,
  AuditCheckpointEntity,
  AuditPendingEntity,
  BillingAccountEntity,
  InvoiceEntity,
  RefundEntity,
  DunningEntity,
  PaymentEventEntity,
  CheckoutSessionEntity,
  SubscriptionEntity,
  ContactRequestEntity,
  AdapterManifestEntity,
  ControlEventEntity,
  ExportDeclarationEntity,
  ExternalIdentityEntity,
  InvitationEntity,
  LoginAttemptEntity,
  WebhookDeliveryEntity,
  MailEntity,
  MailTokenEntity,
  MemberEntity,
  ProviderKeyEntity,
  ProviderSettingsEntity,
  CachedAnswerEntity,
  ResponseReferenceEntity,
  NamespaceSettingsEntity,
  BudgetPeriodEntity,
  BudgetReservationEntity,
  ForgottenTermEntity,
  ConversationEntity,
  ShareLinkEntity,
  ConsumedAssertionEntity,
  SsoConfigEntity,
  TeamEntity,
  TeamMemberEntity,
  UsageDayEntity,
  CallTotalsEntity,
  UnitTotalsEntity,
  OutboxRowEntity,
  TenantStorageEntity,
  // Chains first: in a merge their lock waits for a group that is being written.
  CaptureHeadEntity,
  CaptureCertificateEntity,
  CaptureForgetEntity,
  CaptureChainEntity,
  CaptureCheckpointEntity,
  CaptureEntity,
  CaptureContentEntity,
  CaptureTextEntity,
  CaptureMediaEntity,
  ReviewGapEntity,
  CaptureDayEntity,
  CaptureMeasureEntity,
  CopyrightFlagEntity,
  CopyrightAllowlistEntity,
  ConnectorInterestEntity,
  ClientErrorEntity,
  GateEntity,
  DistillRunEntity,
  DistillEventEntity,
  DistillSampleEntity,
  HoldoutCorpusEntity,
  HoldoutRowEntity,
  TrafficCursorEntity,
  TrafficTemplateEntity,
  ClusterCompileEntity,
  DatasetEntity,
  DatasetVersionEntity,
  DatasetFileEntity,
  DatasetCaptureEntity,
  BenchPackEntity,
  EvaluationEntity,
  EvaluationRowEntity,
  BakeoffEntity,
  BakeoffContestantEntity,
  BakeoffAnswerEntity,
  BakeoffPreferenceEntity,
  InferenceMeasurementEntity,
  SlotProbeEntity,
  CloudJobEntity,
]
