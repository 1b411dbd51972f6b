"""Credentials of a run of Schemathesis, and the failures that are none: each with its reason."""

import itertools
import os
import re

import schemathesis

KEY = os.environ["SVC_FUZZ_KEY"]
SPARE_KEY = os.environ["SVC_FUZZ_SPARE_KEY"]
ADMIN_KEY = os.environ["SVC_FUZZ_ADMIN_KEY"]
SCIM_TOKEN = os.environ["SVC_FUZZ_SCIM_TOKEN"]
TENANT = os.environ["SVC_FUZZ_TENANT"]

# They end what the other calls need: the key, the plan or the tenant. A tenant of their own calls them.
ENDING = {
    "cancelPlan",
    "changePlan",
    "closeSession",
    "deleteAccount",
    "leaveOrg",
    "reissueKey",
    "removeMember",
    "revokeScopedKey",
    "revokeSession",
    "rotateKey",
    "rotateScimToken",
    "transferOwner",
}
ID = re.compile(r"^[a-z]{2,4}_[0-9a-z]{26}$")
CREDENTIALS = ("authorization", "x-api-key", "x-admin-key", "cookie")


def operation_id(case):
    return case.operation.definition.raw.get("operationId")


@schemathesis.auth(refresh_interval=None)
class Credentials:
    """The first way of signing in that an operation names; one header, since two that differ are refused."""

    def get(self, case, context):
        definition = context.operation.definition.raw
        ways = [name for way in definition.get("security", []) for name in way]
        if not ways:
            return {}
        if "scim" in definition["tags"]:
            return {"Authorization": f"Bearer {SCIM_TOKEN}"}
        if ways[0] == "adminKey":
            return {"X-Admin-Key": ADMIN_KEY}
        return {"X-API-Key": SPARE_KEY if definition["operationId"] in ENDING else KEY}

    def set(self, case, data, context):
        kept = {name: value for name, value in (case.headers or {}).items() if name.lower() not in CREDENTIALS}
        case.headers = {**kept, **data}


# Things that there are, by the path or the member of a body that names one.
REAL = {
    "/v1/orgs/{id}": TENANT,
    "/v1/concepts/{id}": os.environ["SVC_FUZZ_CONCEPT"],
    "/v1/artifacts/{id}": os.environ["SVC_FUZZ_ARTIFACT"],
    "/v1/compile/{id}": os.environ["SVC_FUZZ_ARTIFACT"],
    "artifact_id": os.environ["SVC_FUZZ_ARTIFACT"],
    "target_id": os.environ["SVC_FUZZ_ARTIFACT"],
    "concept_id": os.environ["SVC_FUZZ_CONCEPT"],
}
# Generated ids are ids of nothing: every other call names what there is.
turns = itertools.count()


@schemathesis.hook
def map_case(context, case):
    if next(turns) % 2 == 0 or operation_id(case) in ENDING or operation_id(case) == "deleteConcept":
        return case
    for path, real in REAL.items():
        if case.operation.path.startswith(path) and ID.match(str((case.path_parameters or {}).get("id"))):
            case.path_parameters["id"] = real
    if isinstance(case.body, dict):
        for name in REAL.keys() & case.body.keys():
            if ID.match(str(case.body[name])):
                case.body[name] = REAL[name]
    return case


@schemathesis.hook
def before_call(context, case, kwargs):
    """A live feed does not end: it is asked for what there is."""
    if operation_id(case) == "streamCaptures":
        case.query = {**(case.query or {}), "live": "false"}


@schemathesis.hook
def filter_case(context, case):
    """No plan of the operator's choice for the tenant that makes the calls."""
    return (case.path_parameters or {}).get("tenant_id") != TENANT


# Statuses of what is stored, paid or set up, and of all parts of a request together: no schema says it.
STORED = {402, 410, 413, 422, 431}
# Codes of a wrong form: a request that the schema allows must not end with one.
OF_FORM = {None, "validation_failed", "invalid_json", "invalid_encoding", "unsupported_media_type", "internal"}
# By operation, fields whose rules are beyond a schema.
BEYOND = {
    "receiveControlEvent": ("payload",),  # null is none
    "compileAgain": ("remove",),  # names examples of the earlier job
    "updateBilling": ("vat_number",),  # a VAT number has the form of its country
    "storeProviderKey": ("team_id", "key"),  # goes with another field
    "diffDataset": ("version",),  # not beside another parameter
    "createDataset": ("capture_ids", "paths"),  # goes with another field, or not beside it
    "importIntoDataset": ("rows", "capture_ids", "paths"),  # likewise, and one of them at least
    "exportDataset": ("side",),  # not beside the format folder
    "evalGate": ("corpus_id",),  # one source of rows
    "measureInference": ("model",),  # where no artifact is named
    "submitCloudJob": ("managed_provider", "capture_window"),  # of two names for one field; a number of days in a text
    "createCompile": ("unlabelled_inputs",),  # not beside another source of rows
    "previewCompile": ("mapping",),  # names columns of the file
    "generateContent": ("alt",),  # goes with the verb in the path
    "generateContentBeta": ("alt",),  # likewise
    "putGatewayNamespace": ("guardrails", "redact_mode"),  # goes with an action, and with a policy
    "saveConversation": ("updated_at",),  # a time that is past
    "estimateCarbon": ("hours", "gpu", "provider", "tokens"),  # of one way to ask; together or not at all
    "askDocumentation": ("top_k_doc_urls",),  # pages that there are
    "tokenizeAudio": ("audio", "audio_base64", "model"),  # sound that can be read, for a model that there is
    "logCaptures": ("items",),  # at least one item has an input and an output
    "observeCall": ("prompt", "response"),  # each part has several names
    "updateObservation": ("discarded", "kept"),  # at least one, and not both
    "autoSynthesize": ("namespace",),  # where several namespaces have the template
    "forgetCaptures": ("pattern", "namespace"),  # a rule in RE2 syntax; not with a subject or a pattern
}
# Rows are checked one by one while they are read, files while they arrive: a schema sees a list and a part.
ROWS = re.compile(r"^(spec\.)?(examples|positives|unlabelled_inputs|pairs|rows|seeds_jsonl_text)\b.*\[|^line\[|^(spec|file)$")
# Rules that hold for all of JSON and forms, also for members that no schema names.
OF_ALL = (
    "is an integer that a double cannot hold",  # RFC 7493, 2.2
    "is larger than 2^53 - 1",
    "is there twice",  # a field of a form
    "has a member named __proto__",  # the description of the document names it
    "must not hold the character U+0000",  # PostgreSQL stores none
    "must name each path once",  # tolerances of every compile: a schema compares whole items
    "no output has a number at",  # tolerances of numbers that the rows have
)


def is_answer_to_what_is_stored(case, response):
    if response.status_code in STORED:
        return True
    if response.status_code not in (400, 415):
        return False
    body = response.json()
    if "urn:ietf:params:scim:api:messages:2.0:Error" in body.get("schemas", []):
        # Which attributes there are and what they hold says /scim/v2/Schemas (RFC 7643, 7).
        return body.get("scimType") is not None
    if body.get("code") not in OF_FORM:
        return True
    fields = body.get("details", {}).get("fields", [])
    beyond = BEYOND.get(operation_id(case), ())
    return bool(fields) and all(
        field["field"] in beyond or re.split(r"[.\[]", field["field"])[0] in beyond or ROWS.match(field["field"]) or field["message"].startswith(OF_ALL) for field in fields
    )


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Keeps a failure unless the answer is right."""
    kind = type(failure).__name__
    if kind == "RejectedPositiveData":
        return not is_answer_to_what_is_stored(case, response)
    if kind == "ServerError" and response.status_code in (501, 503):
        code = response.json().get("code", "")
        # The run has no workers, no providers of sign-ins and no keys of model providers; the answer says so.
        is_said = code.endswith("_not_configured") or code in ("no_provider_key", "not_supported")
        return not (is_said or operation_id(case) == "getDeepReadiness")
    return True
