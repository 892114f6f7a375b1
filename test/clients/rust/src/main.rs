//! Mail clients of Rust: one mail for each configuration named on the command line. One line each: its name, a tab, `ok` or what went wrong.
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::{Message, SmtpTransport, Transport};
use std::{env, error::Error};

fn transport(name: &str) -> Result<SmtpTransport, Box<dyn Error>> {
    let host = env::var("HOST")?;
    let port: u16 = env::var("PORT")?.parse()?;
    let tls_port: u16 = env::var("TLS_PORT")?.parse()?;
    let plain = SmtpTransport::builder_dangerous(&host).port(port);
    let login = || Credentials::new("app".into(), "secret".into());
    Ok(match name {
        "lettre" => plain.build(),
        "lettre-auth" => plain.credentials(login()).build(),
        "lettre-url" => SmtpTransport::from_url(&format!("smtp://{host}:{port}"))?.build(),
        "lettre-opportunistic" => plain.tls(Tls::Opportunistic(TlsParameters::new(host)?)).build(),
        "lettre-starttls" => SmtpTransport::starttls_relay(&host)?.port(port).build(),
        "lettre-tls" => SmtpTransport::relay(&host)?.port(tls_port).build(),
        _ => return Err("no such configuration".into()),
    })
}

fn send(name: &str) -> Result<(), Box<dyn Error>> {
    let mail = Message::builder()
        .from("app@example.com".parse()?)
        .to(format!("{name}@inbox.mailcap.example.com").parse()?)
        .subject(name)
        .body(String::from("Hello."))?;
    transport(name)?.send(&mail)?;
    Ok(())
}

fn main() {
    for name in env::args().skip(1) {
        match send(&name) {
            Ok(()) => println!("{name}\tok"),
            Err(error) => println!("{name}\t{}", error.to_string().lines().next().unwrap_or("failed")),
        }
    }
}
