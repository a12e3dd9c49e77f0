/** A Sigstore of the test's own: a certificate authority, a transparency log, and the trusted root with their keys. */
import { createHash, generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { initializeCA, initializeTLog } from '@sigstore/mock';
import { temporaryFolder } from './support.js';

const ISSUER = 'https://issuer.example.org';

export interface TestSigstore {
  /** The file for `sigstoreRoot`. */
  readonly root: string;
  /** A bundle with a statement about an artifact. */
  signStatement(identity: string, statement: object): Promise<object>;
  /** The annotations of cosign's older form. */
  signPayload(identity: string, payload: Uint8Array): Promise<Readonly<Record<string, string>>>;
}

/** A log of certificates (RFC 6962) that signs whatever it is given. */
function certificateLogOf({ privateKey, publicKey }: ReturnType<typeof keys>) {
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const logID = createHash('sha256').update(key).digest();
  return {
    publicKey: key,
    logID,
    async log(certificate: ArrayBuffer, issuer: ArrayBuffer): Promise<ArrayBuffer> {
      const [time, length] = [Buffer.alloc(8), Buffer.alloc(3)];
      time.writeBigUInt64BE(BigInt(Date.now()));
      const signedPart = innerSequence(Buffer.from(certificate));
      length.writeUIntBE(signedPart.length, 0, 3);
      const none = Buffer.from([0, 0]);
      const signed = [Buffer.from([0, 0]), time, Buffer.from([0, 1]), Buffer.from(issuer), length, signedPart, none];
      const signature = sign('sha256', Buffer.concat(signed), privateKey);
      const algorithm = Buffer.from([4, 3, 0, signature.length]);
      const entry = Buffer.concat([Buffer.from([0]), logID, time, none, algorithm, signature]);
      return new Uint8Array([0, entry.length, ...entry]).buffer;
    },
  };
}

/** The first element of a sequence in DER, whole: of a certificate, what is signed. */
function innerSequence(der: Buffer): Buffer {
  const begin = contentAt(der, 0).begin;
  return der.subarray(begin, contentAt(der, begin).end);
}

function contentAt(der: Buffer, at: number): { readonly begin: number; readonly end: number } {
  const first = der.readUInt8(at + 1);
  const size = first < 0x80 ? 0 : first & 0x7f;
  const length = size === 0 ? first : der.readUIntBE(at + 2, size);
  const begin = at + 2 + size;
  return { begin, end: begin + length };
}

function keys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

const STATEMENT = 'application/vnd.in-toto+json';

export async function newSigstore(): Promise<TestSigstore> {
  const [authority, certificateLog, log] = [keys(), keys(), keys()];
  const ctLog = certificateLogOf(certificateLog);
  const ca = await initializeCA(authority, ctLog);
  const tlog = await initializeTLog('https://rekor.example.org', log);
  const root = join(temporaryFolder(), 'trusted_root.json');
  writeFileSync(root, JSON.stringify(trustedRoot(ca.rootCertificate, ctLog, tlog.publicKey)));

  const certified = async (identity: string) => {
    const own = keys();
    const der = await ca.issueCertificate({
      publicKey: own.publicKey.export({ type: 'spki', format: 'der' }),
      subjectAltName: identity,
      extensions: [{ oid: '1.3.6.1.4.1.57264.1.8', value: ISSUER }],
    });
    return { privateKey: own.privateKey, der, pem: new X509Certificate(der).toString() };
  };
  const logged = async (entry: object) => {
    const [first] = Object.values<LogEntry>(await tlog.log(entry));
    if (first === undefined) throw new Error('Nothing was logged.');
    return first;
  };

  return {
    root,
    async signStatement(identity, statement) {
      const { der, pem, privateKey } = await certified(identity);
      const payload = Buffer.from(JSON.stringify(statement));
      const signature = sign('sha256', preAuthentication(payload), privateKey);
      const envelope = {
        payload: payload.toString('base64'),
        payloadType: STATEMENT,
        signatures: [{ sig: signature.toString('base64'), keyid: '' }],
      };
      const entry = await logged({
        apiVersion: '0.0.1',
        kind: 'dsse',
        spec: {
          signatures: [{ signature: signature.toString('base64'), verifier: Buffer.from(pem).toString('base64') }],
          payloadHash: { algorithm: 'sha256', value: createHash('sha256').update(payload).digest('hex') },
          envelopeHash: { algorithm: 'sha256', value: createHash('sha256').update(JSON.stringify(envelope)).digest('hex') },
        },
      });
      return {
        mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
        verificationMaterial: { certificate: { rawBytes: der.toString('base64') }, tlogEntries: [logEntry(entry, 'dsse')] },
        dsseEnvelope: envelope,
      };
    },
    async signPayload(identity, payload) {
      const { pem, privateKey } = await certified(identity);
      const signature = sign('sha256', payload, privateKey).toString('base64');
      const entry = await logged({
        apiVersion: '0.0.1',
        kind: 'hashedrekord',
        spec: {
          signature: { content: signature, publicKey: { content: Buffer.from(pem).toString('base64') } },
          data: { hash: { algorithm: 'sha256', value: createHash('sha256').update(payload).digest('hex') } },
        },
      });
      const { body, integratedTime, logID, logIndex, verification } = entry;
      return {
        'dev.cosignproject.cosign/signature': signature,
        'dev.sigstore.cosign/certificate': pem,
        'dev.sigstore.cosign/bundle': JSON.stringify({
          SignedEntryTimestamp: verification?.signedEntryTimestamp,
          Payload: { body, integratedTime, logIndex, logID },
        }),
      };
    },
  };
}

function preAuthentication(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${STATEMENT.length} ${STATEMENT} ${payload.length} `), payload]);
}

type LogEntry = Awaited<ReturnType<Awaited<ReturnType<typeof initializeTLog>>['log']>>[string];

function logEntry({ body, integratedTime, logID, logIndex, verification }: LogEntry, kind: string) {
  const { inclusionProof, signedEntryTimestamp } = verification ?? {};
  return {
    logIndex: String(logIndex),
    logId: { keyId: Buffer.from(logID, 'hex').toString('base64') },
    kindVersion: { kind, version: '0.0.1' },
    integratedTime: String(integratedTime),
    inclusionPromise: { signedEntryTimestamp },
    ...(inclusionProof === undefined
      ? {}
      : {
          inclusionProof: {
            logIndex: String(inclusionProof.logIndex),
            treeSize: String(inclusionProof.treeSize),
            rootHash: Buffer.from(inclusionProof.rootHash, 'hex').toString('base64'),
            hashes: inclusionProof.hashes.map((hash: string) => Buffer.from(hash, 'hex').toString('base64')),
            checkpoint: { envelope: inclusionProof.checkpoint },
          },
        }),
    canonicalizedBody: body,
  };
}

function trustedRoot(certificate: Buffer, ctLog: { readonly publicKey: Buffer; readonly logID: Buffer }, logKey: Buffer) {
  const validFor = { start: '2000-01-01T00:00:00Z' };
  const key = (publicKey: Buffer) => ({ rawBytes: publicKey.toString('base64'), keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor });
  const log = (baseUrl: string, publicKey: Buffer, id: Buffer) => ({
    baseUrl,
    hashAlgorithm: 'SHA2_256',
    publicKey: key(publicKey),
    logId: { keyId: id.toString('base64') },
  });
  return {
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [log('https://rekor.example.org', logKey, createHash('sha256').update(logKey).digest())],
    certificateAuthorities: [
      {
        subject: { organization: 'test', commonName: 'test' },
        uri: 'https://fulcio.example.org',
        certChain: { certificates: [{ rawBytes: certificate.toString('base64') }] },
        validFor,
      },
    ],
    ctlogs: [log('https://ctlog.example.org', ctLog.publicKey, ctLog.logID)],
    timestampAuthorities: [],
  };
}
