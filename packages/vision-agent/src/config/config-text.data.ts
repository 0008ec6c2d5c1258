/** What each key takes, in words. Every key of the schema is here; an error message is made from it. */
export const ALLOWED: Readonly<Record<string, string>> = {
  server: "a group of keys: host, port, names, tls, behind_proxy",
  "server.host": "an address of this computer, such as 127.0.0.1, or 0.0.0.0 for all of them",
  "server.port": "a whole number from 0 to 65535 (0 picks a free one)",
  "server.names": "a list of host names and addresses, such as cameras.home",
  "server.names.*": "a host name or an address, without a scheme and a port",
  "server.tls": "a group of keys: cert, key",
  "server.tls.cert": "the path of a certificate (PEM)",
  "server.tls.key": "the path of its private key (PEM)",
  "server.behind_proxy": "a group of keys: url, addresses",
  "server.behind_proxy.url": "the https:// address at which people find the reverse proxy",
  "server.behind_proxy.addresses": "a list of IP addresses or networks of the proxy, such as 10.0.0.2 or 10.0.0.0/24",
  "server.behind_proxy.addresses.*": "an IP address or a network, such as 10.0.0.2 or 10.0.0.0/24",
  llm: "a group of keys: provider, model, fallback_model, api_key, base_url, max_tokens, thinking, cost_limit_daily, cost_limit_monthly",
  "llm.provider": "anthropic, openai or offline",
  "llm.model": "the name of a model",
  "llm.api_key": `a key, best written as \${ANTHROPIC_API_KEY}`,
  "llm.base_url": "an http:// or https:// address",
  "llm.max_tokens": "a whole number of tokens from 1 to 128000",
  "llm.thinking": "a group of keys: enabled, budget_tokens",
  "llm.thinking.enabled": "true or false",
  "llm.thinking.budget_tokens": "a whole number of tokens from 1024 to 128000",
  "llm.fallback_model": "the name of a smaller model, which answers when the day's money is short",
  "llm.cost_limit_daily": "a number of dollars from 0 to 100000",
  "llm.cost_limit_monthly": "a number of dollars from 0 to 1000000, or null",
  inference: "a group of keys: backend, server_url, api_key, servers, roboflow_api_url, local_models",
  "inference.backend": "direct, http or webrtc",
  "inference.server_url": "the http:// or https:// address of an Inference server",
  "inference.api_key": `a Roboflow key, best written as \${ROBOFLOW_API_KEY}`,
  "inference.servers": "a list of Inference servers, each with a label and a url, no label twice",
  "inference.servers.*": "a group of keys: label, url, api_key",
  "inference.servers.*.label": "a name of letters, digits, dots and dashes",
  "inference.servers.*.url": "the http:// or https:// address of an Inference server",
  "inference.servers.*.api_key": "the Roboflow key for this server",
  "inference.roboflow_api_url": "an http:// or https:// address",
  "inference.local_models": "a folder with models of your own",
  workspace: "a group of keys: path",
  "workspace.path": "a folder",
  heartbeat: "a group of keys: enabled, interval_minutes, active_hours, only_after_events",
  "heartbeat.enabled": "true or false",
  "heartbeat.interval_minutes": "a whole number of minutes from 1 to 1440",
  "heartbeat.active_hours": "two times of the day, such as 07:00-22:00",
  "heartbeat.only_after_events": "true or false",
  monitoring: "a group of keys: escalation_confidence, max_results_per_consume, result_image_max_dimension",
  "monitoring.escalation_confidence": "a number from 0 to 1",
  "monitoring.max_results_per_consume": "a whole number from 1 to 256",
  "monitoring.result_image_max_dimension": "a whole number of pixels from 64 to 640",
  interface: "a group of keys: type, slack",
  "interface.type": "cli, slack or rest",
  "interface.slack": "a group of keys: bot_token, app_token, alert_channel",
  "interface.slack.bot_token": `a token, best written as \${SLACK_BOT_TOKEN}`,
  "interface.slack.app_token": `a token, best written as \${SLACK_APP_TOKEN}`,
  "interface.slack.alert_channel": 'the name of a channel, such as "#alerts"',
  agent: "a group of keys: autonomy",
  "agent.autonomy": "advisory, supervised or autonomous",
  sinks: "a group of keys: allow_private_addresses, mail_ca_file, s3_endpoint",
  "sinks.allow_private_addresses": "true or false",
  "sinks.mail_ca_file": "a file with the certificate (PEM) of your mail server",
  "sinks.s3_endpoint": "the http:// or https:// address of a service that speaks S3",
  location: "a group of keys: latitude, longitude",
  "location.latitude": "degrees from -90 to 90",
  "location.longitude": "degrees from -180 to 180",
  demo: "true or false",
  recording: "a group of keys: keep_hours, max_megabytes",
  "recording.keep_hours": "a whole number of hours from 1 to 8760",
  "recording.max_megabytes": "a whole number of megabytes from 10 to 10000000",
  events: "a group of keys: keep_days, max_megabytes, trace_hours, trace_megabytes",
  "events.keep_days": "a whole number of days from 1 to 3650",
  "events.max_megabytes": "a whole number of megabytes from 10 to 1000000",
  "events.trace_hours": "a whole number of hours from 0 to 720",
  "events.trace_megabytes": "a whole number of megabytes from 1 to 100000",
};

/** Written on the first run: every key with its default, commented out. */
export const DEFAULT_CONFIG_TEXT = `# Vision Agent: every key with its default. Remove the "# " before a line to change it.
# Keys of the environment (or of .env beside this file) win over this file; \${NAME} is filled from them.

# server:
#   host: 127.0.0.1            # 0.0.0.0: other computers, too, with an account (vision-agent account add) and TLS
#   port: 4750
#   names: [cameras.home]      # under which other computers ask for it, beside its addresses
#   tls:                       # left out: a certificate is made where other computers may come in
#     cert: tls/cert.pem
#     key: tls/key.pem
#   behind_proxy:              # instead of tls: a reverse proxy that does it
#     url: https://cameras.example.org
#     addresses: [127.0.0.1]

# llm:
#   provider: anthropic        # or openai; or offline: no model is asked, plain instructions are read by rules
#   model: claude-sonnet-5-5
#   fallback_model: claude-haiku-5-5   # answers when the day's money is short, and says so
#   api_key: \${ANTHROPIC_API_KEY}
#   base_url: https://api.anthropic.com
#   max_tokens: 4096           # of one answer
#   thinking:
#     enabled: false           # for complex tasks
#     budget_tokens: 4096
#   cost_limit_daily: 10.00    # dollars, a hard stop
#   cost_limit_monthly: 100.00 # the same for a month; without it there is none

# inference:
#   backend: direct            # pipelines run on this machine; or http, webrtc: on an Inference server
#   server_url: http://localhost:9001
#   api_key: \${ROBOFLOW_API_KEY}
#   servers:                   # several servers, each with a name of yours
#     - label: basement
#       url: http://192.168.1.20:9001
#   roboflow_api_url: https://api.roboflow.com
#   local_models: models       # your own ONNX models, in the workspace

# workspace:
#   path: ~/.vision_agent      # read in the usual place only: everything but this file and .env is kept there

# heartbeat:
#   enabled: true              # the model goes through HEARTBEAT.md from time to time
#   interval_minutes: 15
#   active_hours: 07:00-22:00  # left out: all day
#   only_after_events: true    # and only when something happened since the last time; false asks the model each time

# monitoring:
#   escalation_confidence: 0.5 # what the detector is less sure of wakes no model
#   max_results_per_consume: 10        # of a pipeline, in one look
#   result_image_max_dimension: 640    # pixels, of pictures that go to a model

# interface:
#   type: rest                 # what the command without a word opens: the dashboard; or cli: the chat; or slack
#   slack:
#     bot_token: \${SLACK_BOT_TOKEN}
#     app_token: \${SLACK_APP_TOKEN}
#     alert_channel: "#security-alerts"

# agent:
#   autonomy: supervised       # or advisory: asks before everything; or autonomous: asks only before what cannot be undone and new destinations

# sinks:                       # what workflows send
#   allow_private_addresses: false     # true: requests, mail, MQTT and S3 also reach this machine and the local network
#   mail_ca_file: mail-server.pem      # certificate of your own mail server, in the workspace
#   s3_endpoint: https://s3.example.com        # a service that speaks S3, instead of Amazon's

# egress:                      # pictures that leave this machine, for cameras and destinations that you have not decided about
#   images: ask                # once for each camera and destination, and remembers it; or never, allow
#   remote_hosts:              # programs on this machine that pass pictures on, such as a proxy
#     - localhost:4000

# location:                    # for watches from sunset to sunrise
#   latitude: 52.52
#   longitude: 13.4

# demo: true                   # a demo pipeline is started on the very first run

# recording:                   # of cameras that are recorded (vision-agent camera record NAME on)
#   keep_hours: 24
#   max_megabytes: 5000        # all cameras together; the oldest go first

# events:
#   keep_days: 14              # scene events and their pictures
#   max_megabytes: 2000        # with the index; the oldest pictures go first, those of alerts last
#   trace_hours: 24            # boxes and scores of each second, for "why?" and previews; no pictures; 0 keeps none
#   trace_megabytes: 200
`;
