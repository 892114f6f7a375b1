-- Sends a webhook like those of payment services.
wrk.method = "POST"
wrk.body = '{"event":"payment.succeeded","data":"' .. string.rep("x", 960) .. '"}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["X-Signature"] = string.rep("s", 64)
