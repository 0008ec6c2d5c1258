// names of this computer → a certificate that it signed itself ⇄ tls/ in the workspace
import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { FilePort } from "../workspace/file-port.ts";

export interface TlsFiles {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

export interface OwnCertificateOptions {
  readonly files: FilePort;
  /** Where it is kept. */
  readonly folder: string;
  /** Host names and addresses that it must hold for. */
  readonly names: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const DAY_MS = 86_400_000;
const VALID_DAYS = 397;
/** A new one before browsers begin to complain. */
const RENEW_DAYS = 30;

/** Made once and kept: a browser that was told to trust it goes on doing so. Rejects with `StoreError`. */
export async function openOwnCertificate(options: OwnCertificateOptions): Promise<TlsFiles> {
  const { files, folder } = options;
  const [certPath, keyPath] = [`${folder}/cert.pem`, `${folder}/key.pem`];
  const [cert, key] = await Promise.all([files.readText(certPath), files.readText(keyPath)]);
  if (cert !== undefined && key !== undefined && holds(cert, options)) return { cert, key };
  const made = await makeCertificate(options);
  await files.makeFolder(folder);
  await files.writeAtomic(keyPath, made.key);
  await files.writeAtomic(certPath, made.cert);
  return made;
}

/** For a person to compare with what the browser shows. */
export function fingerprintOf(cert: string): string {
  return new X509Certificate(cert).fingerprint256;
}

function holds(cert: string, { names, now }: OwnCertificateOptions): boolean {
  try {
    const known = new X509Certificate(cert);
    const covers = (name: string): boolean =>
      (isIP(name) === 0 ? known.checkHost(name) : known.checkIP(name)) !== undefined;
    return known.validToDate.getTime() - now() > RENEW_DAYS * DAY_MS && names.every(covers);
  } catch {
    return false; // damaged: a new one takes its place
  }
}

async function makeCertificate({ names, now }: OwnCertificateOptions): Promise<TlsFiles> {
  // Loaded by those who need it: it is large.
  const x509 = await import("@peculiar/x509");
  x509.cryptoProvider.set(globalThis.crypto);
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await globalThis.crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=Vision Agent",
    // A clock that is an hour behind must not refuse it.
    notBefore: new Date(now() - DAY_MS),
    notAfter: new Date(now() + VALID_DAYS * DAY_MS),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((name) => ({ type: isIP(name) === 0 ? "dns" : "ip", value: name }) as const),
      ),
    ],
  });
  const pkcs8 = await globalThis.crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { cert: certificate.toString("pem"), key: x509.PemConverter.encode(pkcs8, "PRIVATE KEY") };
}
