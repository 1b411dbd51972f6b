import { ArtifactEntity } from './artifacts/artifact.ts'
import { BuildReceiptEntity } from './artifacts/build-receipt.ts'
import { AuditEntryEntity, AuditHeadEntity } from './audit/audit-entry.ts'
import { BlobChunkEntity, BlobDiscardEntity, BlobEntity, BlobUploadEntity } from './blobs/blob.ts'
import { UnpaidComputeEntity } from './compute/unpaid-compute.ts'
import { ConceptEntity } from './concepts/concept.ts'
import { VersionEntity } from './concepts/version.ts'
import { JobEventEntity } from './events/job-event.ts'
import { ExportJobEntity } from './exports/export-job.ts'
import { EvidenceEdgeEntity, EvidenceNodeEntity } from './evidence/evidence-node.ts'
import { IdempotencyClaimEntity } from './idempotency/idempotency-claim.ts'
import { InvocationHourEntity } from './invocations/invocation-hour.ts'
import { CompileJobEntity } from './jobs/compile-job.ts'
import { JobStageEntity } from './jobs/stages/job-stage.ts'
import { WorkflowStartEntity } from './jobs/start/workflow-start.ts'
import { ApiKeyEntity } from './keys/api-key.ts'
import { QuotaLeaseEntity, QuotaPeriodEntity, QuotaReservationEntity } from './quota/quota.ts'
import { RateLimitEntity } from './rate-limits/rate-limit.ts'
import { ReceiptSecretEntity } from './receipt-secrets/receipt-secret.ts'
import { ServiceSecretEntity } from './secrets/service-secret.ts'
import { SessionEntity } from './sessions/session.ts'
import { SigningKeyEntity } from './signing-keys/signing-key.ts'
import { TeacherRoundEntity } from './teacher-samples/teacher-round.ts'
import { TeacherSampleEntity } from './teacher-samples/teacher-sample.ts'
import { TrainingRecordEntity } from './training/training-record.ts'
import { TenantEntity } from './tenants/tenant.ts'
import { SnoozeEntity } from './account/snooze.ts'
import { AuditCheckpointEntity, AuditPendingEntity } from './audit/chain/audit-pending.ts'
import { BillingAccountEntity } from './billing/account/billing-account.ts'
import { CheckoutSessionEntity } from './billing/checkouts/checkout-session.ts'
import { DunningEntity } from './billing/dunning/dunning.ts'
import { InvoiceEntity } from './billing/invoices/invoice.ts'
import { PaymentEventEntity } from './billing/events/payment-event.ts'
import { RefundEntity } from './billing/refunds/refund.ts'
import { SubscriptionEntity } from './billing/subscriptions/subscription.ts'
import { ContactRequestEntity } from './contacts/contact-request.ts'
import { AdapterManifestEntity, ControlEventEntity, ExportDeclarationEntity } from './control/control-records.ts'
import { CallTotalsEntity, UnitTotalsEntity } from './counts/running-totals.ts'
import { ExternalIdentityEntity } from './identities/external-identity.ts'
import { InvitationEntity } from './invitations/invitation.ts'
import { LoginAttemptEntity } from './login-attempts/login-attempt.ts'
import { MailEntity, MailTokenEntity } from './mails/mail.ts'
import { MemberEntity } from './members/member.ts'
import { ProviderKeyEntity } from './provider-keys/provider-key.ts'
import { ShareLinkEntity } from './share-links/share-link.ts'
import { ConsumedAssertionEntity, SsoConfigEntity } from './sso/sso-config.ts'
import { TenantStorageEntity } from './storage/tenant-storage.ts'
import { TeamEntity, TeamMemberEntity } from './teams/team.ts'
import { UsageDayEntity } from './usage/usage-day.ts'
import { PokeEntity } from './workflow-starts/poke.ts'

/** Every table of the service. */
export const ENTITIES = [
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
  JobStageEntity,
  JobEventEntity,
  WorkflowStartEntity,
  ConceptEntity,
  VersionEntity,
  ArtifactEntity,
  BuildReceiptEntity,
  ExportJobEntity,
  EvidenceNodeEntity,
  EvidenceEdgeEntity,
  QuotaPeriodEntity,
  UnpaidComputeEntity,
  QuotaLeaseEntity,
  QuotaReservationEntity,
  InvocationHourEntity,
  IdempotencyClaimEntity,
  RateLimitEntity,
  TeacherRoundEntity,
  TeacherSampleEntity,
  TrainingRecordEntity,
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
  MailEntity,
  MailTokenEntity,
  MemberEntity,
  ProviderKeyEntity,
  ShareLinkEntity,
  ConsumedAssertionEntity,
  SsoConfigEntity,
  TeamEntity,
  TeamMemberEntity,
  UsageDayEntity,
  CallTotalsEntity,
  UnitTotalsEntity,
  PokeEntity,
  TenantStorageEntity,
]
